#pragma once

#include "../shop.hpp"

#include <ferry/postgres/store.hpp>

#include <test_database.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ferry::scenarios {

/// A shop whose services keep what they write in one database of a PostgreSQL server; messages go through memory.
class postgres_shop : public shop {
protected:
    postgres_shop() {
        database.exec("create table invoices (order_id text)");
        postgres::store{database.url()}.ensure_schema();
    }

    [[nodiscard]] std::unique_ptr<bus_builder> service(const std::string& name, persistence_options options = {},
                                                       const postgres::store_options& store = {}) {
        auto builder = shop::service(name);
        builder->persistence(postgres::store{database.url(), store}, std::move(options));
        return builder;
    }
    /// The same on a clock that stands still until the test moves it.
    [[nodiscard]] std::unique_ptr<bus_builder> timed_service(const std::string& name, persistence_options options = {},
                                                             const postgres::store_options& store = {}) {
        auto builder = service(name, std::move(options), store);
        builder->clock(time);
        return builder;
    }
    void begin_anew() {
        database.exec("truncate invoices; truncate ferry.outbox; truncate ferry.inbox; truncate ferry.schedule");
    }
    static void write_invoice(consume_context& context, const std::string& order_id) {
        context.transaction<pqxx::transaction_base>().exec("insert into invoices values ($1)", pqxx::params{order_id});
    }
    [[nodiscard]] std::vector<std::string> invoices() {
        std::vector<std::string> found;
        for (const auto& [order_id] :
             database.exec("select order_id from invoices order by order_id").iter<std::string>()) {
            found.push_back(order_id);
        }
        return found;
    }
    [[nodiscard]] std::int64_t rows_in_outbox() { return database.number("select count(*) from ferry.outbox"); }

    testing::manual_clock time;
    testing::test_database database;
};

} // namespace ferry::scenarios
