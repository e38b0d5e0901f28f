#pragma once

#include "store_harness.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <support/eventually.hpp>

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ferry::testing {

using namespace std::chrono_literals;

/// The moment the suite's stores are told.
inline constexpr time_point noon = std::chrono::sys_days{std::chrono::March / 1 / 2031} + 12h;

/// The suite every store passes (B96). Its cases lie in the `store_*_cases.cpp` beside this file; a store joins with
/// `INSTANTIATE_TEST_SUITE_P`, see sqlite_store_test.cpp.
class StoreSuite : public ::testing::TestWithParam<store_under_test> {
public:
    ~StoreSuite() override;

protected:
    StoreSuite();

    [[nodiscard]] store& shop() { return *shop_; }
    /// Another instance of the service, where the database can be shared; the same one where it cannot.
    [[nodiscard]] store& peer() { return peer_ ? *peer_ : *shop_; }
    [[nodiscard]] store_harness& harness() { return *harness_; }
    /// One that is started, with its tables.
    [[nodiscard]] std::unique_ptr<store> a_started_store();

    /// Commits these messages in one unit of work and returns the numbers of their rows.
    std::vector<std::int64_t> commit(std::vector<stored_message> outgoing);
    void commit_scheduled(std::vector<stored_message> scheduled);
    /// Commits a message and gives its row up at once.
    std::int64_t commit_dead(stored_message message, std::string_view error = "no such queue");
    /// Whether a unit of work of its own finds the message new, and commits that.
    bool claims(store& where, const uuid& message, std::string_view consumer = "billing");

    /// The bodies of what is due, in order, without keeping it.
    [[nodiscard]] std::vector<std::string> due(time_point now = noon);
    [[nodiscard]] std::vector<std::string> due_in_shard_of(std::string_view key, time_point now = noon);

private:
    std::unique_ptr<store_harness> harness_;
    std::unique_ptr<store> shop_;
    std::unique_ptr<store> peer_;
};

[[nodiscard]] uuid an_id(std::uint8_t seed);
[[nodiscard]] envelope an_order(std::string_view body = "hello");
/// An order written and due at noon.
[[nodiscard]] stored_message a_row(std::string_view body = "hello");
[[nodiscard]] stored_message a_row_due(std::string_view body, time_point due);
[[nodiscard]] stored_message a_keyed_row(std::string_view body, std::string_view key);
[[nodiscard]] envelope unpacked(const packed_envelope& content);
[[nodiscard]] std::vector<std::string> bodies_of(const outbox_batch& batch);
[[nodiscard]] std::vector<std::int64_t> numbers_of(const outbox_batch& batch);

} // namespace ferry::testing
