#include "sqlstate.hpp"

#include <ferry/postgres/errors.hpp>

#include <pqxx/except>

#include <algorithm>
#include <array>

namespace ferry::postgres {

bool is_transient_state(std::string_view sqlstate) noexcept {
    static constexpr std::array<std::string_view, 11> transient{
        "25006", // a server that was the primary, and only reads by now
        "25P03", // idle in a transaction for too long: the connection is gone
        "25P04", // a transaction that took too long: the same
        "40001", // serialization failure
        "40P01", // deadlock
        "53300", // too many connections
        "55P03", // lock not available, also after lock_timeout
        "57P01", // shut down by an administrator
        "57P02", // crashed
        "57P03", // starting up
        "57P05", // idle for too long
    };
    return sqlstate.starts_with("08") || std::ranges::contains(transient, sqlstate);
}

bool is_transient(const std::exception& failure) noexcept {
    if (const auto* own = dynamic_cast<const error*>(&failure)) {
        return own->is_transient();
    }
    if (const auto* sql = dynamic_cast<const pqxx::sql_error*>(&failure); sql != nullptr && !sql->sqlstate().empty()) {
        return is_transient_state(sql->sqlstate());
    }
    return dynamic_cast<const pqxx::broken_connection*>(&failure) != nullptr ||
           dynamic_cast<const pqxx::in_doubt_error*>(&failure) != nullptr ||
           dynamic_cast<const pqxx::transaction_rollback*>(&failure) != nullptr;
}

} // namespace ferry::postgres
