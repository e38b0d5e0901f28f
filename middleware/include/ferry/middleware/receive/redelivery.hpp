#pragma once

#include <ferry/dispatcher.hpp>
#include <ferry/error.hpp>
#include <ferry/log.hpp>
#include <ferry/pipeline.hpp>
#include <ferry/receive_context.hpp>
#include <ferry/scheduler.hpp>
#include <ferry/settings.hpp>
#include <ferry/time.hpp>

#include <optional>
#include <string_view>

namespace ferry::middleware {

/// A message could not be put back for later. It returns to its queue instead, since its policy says it deserves
/// another chance.
class redelivery_failed : public error {
public:
    explicit redelivery_failed(const std::string& text) : error{text, true} {}
};

/// Puts a message back into this endpoint's own queue for later, once for each consumer that failed and whose policy
/// says so, and addressed to that consumer alone. Requests are not put back: somebody waits for their answer now.
class redelivery {
public:
    static constexpr std::string_view key = "redelivery";

    /// With a store the messages wait there, and else in the transport.
    redelivery(envelope_sender& sender, ferry::scheduler* store, clock now, const log_function& log) noexcept
        : sender_{&sender}, store_{store}, now_{now}, log_{&log} {}
    /// None for an endpoint where no policy redelivers.
    [[nodiscard]] static std::optional<redelivery> from(const endpoint_settings& endpoint, envelope_sender& sender,
                                                        ferry::scheduler* store, clock now, const log_function& log);
    void operator()(receive_context& message, next<receive_context> next) const;

private:
    /// True when that consumer gets the message again.
    [[nodiscard]] bool put_back(receive_context& message, const consumer_failure& failure) const;
    void send(receive_context& message, const consumer_failure& failure, int number, duration delay) const;

    void keep_for_later(const envelope& message) const;

    envelope_sender* sender_;
    ferry::scheduler* store_;
    clock now_;
    const log_function* log_;
};

} // namespace ferry::middleware
