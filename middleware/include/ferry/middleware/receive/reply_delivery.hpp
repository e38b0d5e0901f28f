#pragma once

#include <ferry/counters.hpp>
#include <ferry/pipeline.hpp>
#include <ferry/pipeline_defaults.hpp>
#include <ferry/receive_context.hpp>

#include <string_view>

namespace ferry::middleware {

/// Hands a reply to whoever asked. One that nobody waits for any more is counted and forgotten.
class reply_delivery {
public:
    static constexpr std::string_view key = "reply_delivery";

    reply_delivery(reply_sink& replies, bus_counters& counters) noexcept : replies_{&replies}, counters_{&counters} {}
    void operator()(receive_context& message, next<receive_context> next) const;

private:
    reply_sink* replies_;
    bus_counters* counters_;
};

} // namespace ferry::middleware
