#pragma once

#include "connection.hpp"

#include <ferry/store.hpp>

#include <string_view>

namespace ferry::sqlite {

inline constexpr std::string_view insert_outgoing =
    "insert into ferry_outbox (id, destination, message_type, partition_key, shard, tenant, content, due, created_at) "
    "values (?, ?, ?, ?, ?, ?, ?, ?, ?)";
inline constexpr std::string_view insert_scheduled = "insert into ferry_schedule (id, destination, message_type, "
                                                     "partition_key, shard, tenant, content, due, created_at) "
                                                     "values (?, ?, ?, ?, ?, ?, ?, ?, ?)";

/// Writes a message with one of the statements above.
void insert(query& statement, const stored_message& message);

inline constexpr std::string_view outbox_columns = "number, due, partition_key, attempts, created_at, content";
/// From `outbox_columns`.
[[nodiscard]] outbox_row outbox_row_of(const query& row);

inline constexpr std::string_view dead_columns =
    "number, id, destination, message_type, tenant, attempts, last_error, created_at, content";
/// From `dead_columns`.
[[nodiscard]] dead_message dead_message_of(const query& row);

} // namespace ferry::sqlite
