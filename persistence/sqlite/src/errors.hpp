#pragma once

#include <ferry/store.hpp>

#include <string>
#include <string_view>

struct sqlite3;

namespace ferry::sqlite {

/// What SQLite says went wrong, with what somebody can do about it. Transient when a lock was in the way.
[[nodiscard]] store_error error_of(int code, std::string_view message, std::string_view path);
/// The last error of a connection.
[[nodiscard]] store_error error_of(sqlite3* connection);

} // namespace ferry::sqlite
