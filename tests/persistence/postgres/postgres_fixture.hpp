#pragma once

#include "test_database.hpp"

#include <ferry/postgres/transaction.hpp>

#include <gmock/gmock.h>

#include <chrono>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

namespace ferry::testing {

inline constexpr time_point noon{std::chrono::sys_days{std::chrono::year{2030} / 5 / 1} + std::chrono::hours{12}};

/// A message as a handler leaves one behind: written at noon, due at once.
[[nodiscard]] inline stored_message a_message(const std::string& body = "hello", const std::string& key = {}) {
    static id_source ids{1};
    envelope content;
    content.message_id = ids.next(noon);
    content.message_type = "urn:message:shop:order-placed";
    content.destination = address::exchange("shop.order-placed");
    content.partition_key = key;
    content.body.assign(body);
    return stored_message::of(content, noon, noon);
}

[[nodiscard]] inline std::string body_of(const outbox_row& row) {
    envelope content;
    row.content.unpack(content);
    return std::string{content.body.view()};
}

[[nodiscard]] inline std::vector<std::string> bodies_of(const outbox_batch& batch) {
    std::vector<std::string> bodies;
    for (const outbox_row& each : batch.rows()) {
        bodies.push_back(body_of(each));
    }
    return bodies;
}

/// A started store with a database of its own.
class PostgresTest : public ::testing::Test {
protected:
    /// Commits messages in a transaction of their own.
    std::vector<std::int64_t> commit(std::initializer_list<stored_message> messages) const {
        const auto work = store->work();
        for (const stored_message& each : messages) {
            work->append(each);
        }
        return work->commit();
    }
    [[nodiscard]] static bool claims(unit_of_work& work, const uuid& message, std::string_view consumer = "billing") {
        const inbox_claim claim{message, consumer};
        bool fresh = false;
        work.claim({&claim, 1}, noon, {&fresh, 1});
        return fresh;
    }
    [[nodiscard]] static pqxx::transaction_base& transaction_of(unit_of_work& work) {
        return *static_cast<pqxx::transaction_base*>(work.native(typeid(pqxx::transaction_base*)));
    }
    [[nodiscard]] static pqxx::work& pqxx_work_of(unit_of_work& work) {
        return *static_cast<pqxx::work*>(work.native(typeid(pqxx::work*)));
    }

    test_database database;
    std::unique_ptr<postgres::store> store = started_store(database.url());
};

} // namespace ferry::testing
