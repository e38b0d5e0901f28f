#include <ferry/store.hpp>

namespace ferry {

stored_message stored_message::of(const envelope& message, time_point now, time_point due) {
    return {.id = message.message_id,
            .destination = message.destination.to_string(),
            .message_type = message.message_type,
            .partition_key = message.partition_key,
            .tenant = message.tenant,
            .content = packed_envelope{message},
            .created_at = now,
            .due = due};
}

// In a group an earlier message may have scheduled it, and only the commit of all of them writes that.
bool unit_of_work::cancel(const uuid& message) {
    return std::erase_if(scheduled_, [&](const stored_message& each) { return each.id == message; }) > 0 ||
           take_off_schedule(message);
}

// FNV-1a: what is written by one version of ferry is found in the same shard by the next.
std::optional<int> shard_of(std::string_view partition_key) noexcept {
    if (partition_key.empty()) {
        return std::nullopt;
    }
    std::uint32_t hash = 2166136261U;
    for (const char each : partition_key) {
        hash = (hash ^ static_cast<unsigned char>(each)) * 16777619U;
    }
    return static_cast<int>(hash % static_cast<std::uint32_t>(outbox_shards));
}

} // namespace ferry
