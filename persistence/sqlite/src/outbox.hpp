#pragma once

#include "batch.hpp"
#include "database.hpp"

#include <ferry/store.hpp>

#include <memory>
#include <vector>

/// What a relay and those who look after the outbox ask of it.
namespace ferry::sqlite::outbox {

[[nodiscard]] std::unique_ptr<batch> take(database& from, std::size_t most, time_point now, std::int64_t after);
[[nodiscard]] std::unique_ptr<batch> take_shard(database& from, int shard, std::size_t most, time_point now);
[[nodiscard]] std::vector<int> shards_due(database& from, time_point now);

[[nodiscard]] store_counts count(database& from);
[[nodiscard]] std::vector<dead_message> dead(database& from, const dead_filter& which);
std::size_t replay(database& in, const dead_filter& which, time_point now);
std::size_t forget_dead(database& in, time_point before, std::size_t most);

} // namespace ferry::sqlite::outbox
