#include "poison_guard.hpp"

#include <ferry/header_names.hpp>

#include <algorithm>
#include <chrono>
#include <format>

namespace ferry::amqp {

poison_guard::poison_guard(std::optional<int> limit) noexcept {
    if (limit && *limit >= 0) {
        limit_ = static_cast<std::uint32_t>(*limit);
    }
}

std::uint32_t poison_guard::earlier_deliveries(bool redelivered, std::uint32_t by_queue,
                                               std::uint32_t by_us) const noexcept {
    const std::uint32_t now = redelivered ? 1 : 0;
    return std::max(by_queue, is_on() ? by_us + now : now);
}

poison_guard::advice poison_guard::about(bool redelivered, std::uint32_t by_queue, std::uint32_t by_us) const noexcept {
    if (!is_on() || !redelivered || by_queue > 0) {
        return advice::hand_out;
    }
    return earlier_deliveries(redelivered, by_queue, by_us) > *limit_ ? advice::give_up : advice::count;
}

envelope counted_copy(const envelope& message, std::uint32_t earlier) {
    envelope copy = message;
    copy.delivery_count = earlier;
    return copy;
}

envelope poisonous_copy(const envelope& message, const std::string& queue, const std::string& dead_letters,
                        std::uint32_t earlier, time_point now) {
    envelope dead = message;
    dead.kind = message_kind::fault;
    dead.destination = address::queue(dead_letters);
    dead.delivery_count = 0;
    dead.headers.set(ferry::header_names::fault_message,
                     "it was handed out " + std::to_string(earlier) +
                         " times and never settled: whoever got it crashed, or gave it back");
    dead.headers.set(ferry::header_names::fault_timestamp,
                     std::format("{:%FT%TZ}", std::chrono::floor<std::chrono::milliseconds>(now)));
    dead.headers.set(ferry::header_names::fault_endpoint, queue);
    dead.headers.set(ferry::header_names::fault_attempts, std::int64_t{earlier});
    return dead;
}

} // namespace ferry::amqp
