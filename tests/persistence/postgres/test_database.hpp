#pragma once

#include <ferry/postgres/store.hpp>

#include <pqxx/pqxx>

#include <cstdint>
#include <memory>
#include <string>

namespace ferry::testing {

/// The private server of a test run, and `host:port` of it.
[[nodiscard]] std::string postgres_server();
[[nodiscard]] std::string postgres_address();

/// A database of its own for a test; dropped with whoever is still connected.
class test_database {
public:
    explicit test_database(std::string server = postgres_server());
    test_database(const test_database&) = delete;
    test_database& operator=(const test_database&) = delete;
    ~test_database();

    [[nodiscard]] const std::string& name() const noexcept { return name_; }
    [[nodiscard]] std::string url() const;
    /// The same database by another way.
    [[nodiscard]] std::string url_at(const std::string& address) const;

    pqxx::result exec(const std::string& sql);
    [[nodiscard]] std::int64_t number(const std::string& sql) { return exec(sql).one_field().as<std::int64_t>(); }
    /// Ends every other connection to this database, as an administrator would; returns how many.
    std::int64_t terminate_others();
    /// Connects again, after the server was gone.
    void reconnect();

private:
    std::string server_;
    std::string name_;
    std::unique_ptr<pqxx::connection> connection_;
};

/// A store with its tables, started.
[[nodiscard]] std::unique_ptr<postgres::store>
started_store(const std::string& url, postgres::store_options options = {}, const store_host& host = {.slots = 4});

} // namespace ferry::testing
