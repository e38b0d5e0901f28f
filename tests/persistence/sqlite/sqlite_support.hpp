#pragma once

#include <ferry/sqlite/store.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <support/temporary_folder.hpp>

#include <chrono>
#include <concepts>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace ferry::testing {

using namespace std::chrono_literals;

inline constexpr time_point noon = std::chrono::sys_days{std::chrono::March / 1 / 2031} + 12h;

[[nodiscard]] inline stored_message a_row(std::string_view body = "hello", time_point due = noon) {
    static id_source ids{42};
    envelope message;
    message.message_id = ids.next(noon);
    message.destination = address::queue("billing");
    message.body.assign(body);
    return stored_message::of(message, noon, due);
}

/// A connection of the application's own.
class plain_connection {
public:
    explicit plain_connection(const std::string& path) {
        if (sqlite3_open(path.c_str(), &handle_) != SQLITE_OK) {
            throw std::runtime_error{"cannot open " + path};
        }
    }
    plain_connection(const plain_connection&) = delete;
    plain_connection& operator=(const plain_connection&) = delete;
    ~plain_connection() { sqlite3_close_v2(handle_); }

    [[nodiscard]] sqlite3& operator*() const { return *handle_; }
    [[nodiscard]] sqlite3* get() const { return handle_; }

private:
    sqlite3* handle_ = nullptr;
};

inline void execute(sqlite3* connection, const std::string& sql) {
    if (sqlite3_exec(connection, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
        throw std::runtime_error{sqlite3_errmsg(connection)};
    }
}

[[nodiscard]] inline sqlite3* connection_of(unit_of_work& work) {
    return static_cast<sqlite3*>(work.native(native_transaction_of<sqlite3>::type()));
}

/// The text of the store_error that doing this throws; fails the test when there is none.
template <std::invocable Do> [[nodiscard]] std::string refusal_of(Do&& act) {
    try {
        std::forward<Do>(act)();
    } catch (const error& refused) {
        return refused.what();
    }
    ADD_FAILURE() << "nothing was refused";
    return {};
}

inline void commit_row(sqlite::store& where, stored_message row) {
    const auto work = where.work();
    work->append(std::move(row));
    work->commit();
}

/// A started store on a file of its own.
class SqliteStore : public ::testing::Test {
protected:
    SqliteStore() { store_.start({}); }

    temporary_folder folder_;
    std::string path_ = folder_ / "shop.db";
    sqlite::store store_{path_, {.busy_timeout = 20ms, .turn_timeout = 20ms}};
};

} // namespace ferry::testing
