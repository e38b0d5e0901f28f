#pragma once

#include <ferry/dispatcher.hpp>
#include <ferry/pipeline.hpp>
#include <ferry/receive_context.hpp>

#include <string_view>

namespace ferry::middleware {

/// Moves a message nobody here handles to the skipped queue, unchanged. Outermost of those that move messages, so that
/// none can fall through.
class dead_letter {
public:
    static constexpr std::string_view key = "dead_letter";

    explicit dead_letter(envelope_sender& sender) noexcept : sender_{&sender} {}
    void operator()(receive_context& message, next<receive_context> next) const;

private:
    envelope_sender* sender_;
};

} // namespace ferry::middleware
