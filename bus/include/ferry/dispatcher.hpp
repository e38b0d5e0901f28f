#pragma once

#include <ferry/dispatch_context.hpp>
#include <ferry/dispatch_options.hpp>
#include <ferry/envelope.hpp>
#include <ferry/message.hpp>
#include <ferry/request.hpp>
#include <ferry/scheduler.hpp>

#include <functional>
#include <span>

namespace ferry {

class observation;

/// Everything the bus must know to turn a message into an envelope.
struct outgoing_message {
    message_kind kind = message_kind::publish;
    message_ref message;
    const dispatch_options& options;
    const envelope* cause = nullptr;       ///< the message being handled, whose conversation this one continues
    const address* source = nullptr;       ///< where it comes from; nullptr: the bus as a whole
    const schedule_token* token = nullptr; ///< for one that waits for `at` where it can be cancelled
    time_point at = {};
};

/// Sends messages that are envelopes already, and returns when the broker has confirmed them. Throws when it did not,
/// or when there is no queue for one. What stages use to move messages to other queues.
class envelope_sender {
public:
    /// All are on their way at once; when some fail, throws the first failure after all are settled. The observation,
    /// if there is one, hears of each that has left.
    virtual void send_now(std::span<const envelope> messages, observation* observed) = 0;
    void send_now(const envelope& message) { send_now(std::span{&message, 1}, nullptr); }

protected:
    ~envelope_sender() = default;
};

/// The way into the dispatch pipeline, for contexts and for the bus itself.
class dispatcher : public envelope_sender {
public:
    /// Runs the message through the dispatch pipeline in `context`, and returns when the broker has confirmed it or
    /// when it has been collected.
    virtual void dispatch_and_wait(const outgoing_message& message, dispatch_context& context) = 0;
    /// The same for callers without a context of their own.
    virtual void dispatch_and_wait(const outgoing_message& message) = 0;
    /// Sends a request, waits, and lets `read` read the reply. Throws request_timeout, remote_error, and what `read`
    /// throws.
    virtual void request_and_wait(const outgoing_message& message, duration timeout,
                                  std::move_only_function<void(const envelope&)> read) = 0;
    /// What time it is for the bus.
    [[nodiscard]] virtual time_point now() const = 0;
    /// A token for a message that is about to be scheduled.
    [[nodiscard]] virtual schedule_token next_token() = 0;
    virtual bool cancel(const schedule_token& token) = 0;

protected:
    ~dispatcher() = default;
};

} // namespace ferry
