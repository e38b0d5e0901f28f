#pragma once

#include <ferry/store.hpp>

#include <exception>
#include <string>

namespace ferry::postgres {

/// PostgreSQL refused, or could not be asked. The text says what was attempted.
class sql_error : public store_error {
public:
    sql_error(const std::string& text, std::string sqlstate, bool transient)
        : store_error{text, transient}, sqlstate_{std::move(sqlstate)} {}

    /// PostgreSQL's five characters; "08006" when the connection was lost.
    [[nodiscard]] const std::string& sqlstate() const noexcept { return sqlstate_; }

private:
    std::string sqlstate_;
};

/// Whether the same again on a fresh connection may succeed: a lost connection, a serialization failure, a deadlock, a
/// lock that was not to be had in time, a server that is starting, stopping or full. For errors of ferry and of
/// libpqxx: `policy.on<pqxx::failure>(ferry::postgres::is_transient).retry(5)`.
[[nodiscard]] bool is_transient(const std::exception& failure) noexcept;

} // namespace ferry::postgres
