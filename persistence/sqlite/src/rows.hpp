#pragma once

#include "connection.hpp"

#include <ferry/store.hpp>

#include <string_view>

namespace ferry::sqlite {

/// A row that is due when it is written is due whatever the clock says later: it may be set back.
inline constexpr std::string_view insert_outgoing =
    "insert into ferry_outbox (id, destination, message_type, partition_key, shard, tenant, content, due, created_at) "
    "values (?1, ?2, ?3, ?4, ?5, ?6, ?7, iif(?8 <= ?9, 0, ?8), ?9)";
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
