#pragma once

#include "connection.hpp"

#include <span>
#include <string_view>

namespace ferry::sqlite {

[[nodiscard]] std::span<const std::string_view> schema_files() noexcept;

/// Creates the tables, or brings those of an earlier version up to date. Any number of connections may do so at once.
void create_schema(connection& database, const settings& wanted);
/// Throws schema_error when the tables are missing or of another version.
void check_schema(connection& database, const settings& wanted);

} // namespace ferry::sqlite
