#pragma once

#include <ferry/consume_context.hpp>
#include <ferry/dispatcher.hpp>
#include <ferry/pipeline.hpp>
#include <ferry/pipeline_defaults.hpp>
#include <ferry/scheduler.hpp>

#include <optional>
#include <string_view>

namespace ferry::middleware {

/// Sends what the handler has published, sent and replied with, once it has succeeded, and waits for the broker to
/// confirm all of it before the delivery is settled; then what it has scheduled is kept. A handler that throws has sent
/// and scheduled nothing.
class send_collected {
public:
    static constexpr std::string_view key = "send_collected";

    send_collected(envelope_sender& sender, ferry::scheduler& scheduler) noexcept
        : sender_{&sender}, scheduler_{&scheduler} {}
    /// None for a bus with an outbox, which takes what was collected. Where there is only a transaction, the messages
    /// leave before it is committed: one that fails leaves some behind, but none is lost.
    [[nodiscard]] static std::optional<send_collected> from(const stage_ports& ports);
    void operator()(consume_context& message, next<consume_context> next) const;

private:
    envelope_sender* sender_;
    ferry::scheduler* scheduler_;
};

} // namespace ferry::middleware
