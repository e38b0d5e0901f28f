#pragma once

#include <ferry/consume_context.hpp>
#include <ferry/dispatcher.hpp>
#include <ferry/pipeline.hpp>

#include <string_view>

namespace ferry::middleware {

/// Sends what the handler has published, sent and replied with, once it has succeeded, and waits for the broker to
/// confirm all of it before the delivery is settled. A handler that throws has sent nothing.
class send_collected {
public:
    static constexpr std::string_view key = "send_collected";

    explicit send_collected(envelope_sender& sender) noexcept : sender_{&sender} {}
    void operator()(consume_context& message, next<consume_context> next) const;

private:
    envelope_sender* sender_;
};

} // namespace ferry::middleware
