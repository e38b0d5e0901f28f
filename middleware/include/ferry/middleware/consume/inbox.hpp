#pragma once

#include <ferry/consume_context.hpp>
#include <ferry/counters.hpp>
#include <ferry/pipeline.hpp>
#include <ferry/pipeline_defaults.hpp>
#include <ferry/settings.hpp>
#include <ferry/time.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace ferry::middleware {

/// Lets a consumer handle each message once: claims it in the transaction of the attempt, and passes over a message the
/// consumer has claimed before. A claim that cannot be made is a failure. A message without an id is not claimed.
class inbox {
public:
    static constexpr std::string_view key = "inbox";

    inbox(std::string consumer, clock now, bus_counters& counters)
        : consumer_{std::move(consumer)}, now_{now}, counters_{&counters} {}
    /// None where the bus has no inbox, or the consumer does not want it.
    [[nodiscard]] static std::optional<inbox> from(const consumer_settings& consumer, const stage_ports& ports);
    void operator()(consume_context& message, next<consume_context> next) const;

private:
    [[nodiscard]] bool claims(consume_context& message) const;
    void count_duplicate(consume_context& message) const;

    std::string consumer_;
    clock now_;
    bus_counters* counters_;
};

} // namespace ferry::middleware
