#pragma once

#include "database.hpp"

#include <ferry/store.hpp>

namespace ferry::sqlite {

std::size_t promote_due(database& in, std::size_t most, time_point now);
bool cancel(database& in, const uuid& message);
/// The same in a transaction that `writer` has begun.
bool take_off_schedule(connection& writer, const database& in, const uuid& message);
/// The same on a connection of the application's.
bool take_off_schedule(sqlite3* writer, const database& in, const uuid& message);
/// Of the outbox and the schedule together.
[[nodiscard]] std::optional<time_point> next_due(database& from);

} // namespace ferry::sqlite
