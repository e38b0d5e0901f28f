#pragma once

#include <ferry/consume_context.hpp>
#include <ferry/pipeline.hpp>
#include <ferry/settings.hpp>
#include <ferry/timer_queue.hpp>

#include <optional>
#include <string_view>

namespace ferry::middleware {

/// Tells a handler to stop when its time is up, and makes the attempt a failure when it comes back after that. Right
/// around the handler: what it collected is not sent then, and its transaction not committed.
class handler_deadline {
public:
    static constexpr std::string_view key = "handler_deadline";

    handler_deadline(duration longest, clock now, timer_queue& timers) noexcept
        : longest_{longest}, now_{now}, timers_{&timers} {}
    /// None for a consumer that may take as long as it likes.
    [[nodiscard]] static std::optional<handler_deadline> from(const consumer_settings& consumer, clock now,
                                                              timer_queue& timers);
    void operator()(consume_context& message, next<consume_context> next) const;

private:
    duration longest_;
    clock now_;
    timer_queue* timers_;
};

} // namespace ferry::middleware
