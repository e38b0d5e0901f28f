#pragma once

#include "../shop.hpp"

#include <ferry/postgres/store.hpp>

#include <test_database.hpp>

#include <memory>
#include <string>
#include <utility>

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
    [[nodiscard]] std::int64_t rows_in_outbox() { return database.number("select count(*) from ferry.outbox"); }

    testing::manual_clock time;
    testing::test_database database;
};

} // namespace ferry::scenarios
