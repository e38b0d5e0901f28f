#pragma once

#include <ferry/counters.hpp>
#include <ferry/description.hpp>
#include <ferry/detail/async_send.hpp>
#include <ferry/detail/completion.hpp>
#include <ferry/dispatch_options.hpp>
#include <ferry/dispatcher.hpp>
#include <ferry/health.hpp>
#include <ferry/message.hpp>
#include <ferry/outbox.hpp>
#include <ferry/request.hpp>
#include <ferry/transport.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ferry {

class bus_core;

/// The bus is not running: it was not started yet, or it has been stopped.
class not_running : public error {
public:
    using error::error;
};

/// How a stop went.
struct stop_report {
    /// The endpoints whose handlers were still running when the time was up.
    std::vector<std::string> still_running;

    [[nodiscard]] bool complete() const noexcept { return still_running.empty(); }
};

/// A running message bus: what a `bus_builder` builds. Every function may be called from any thread.
class bus {
public:
    explicit bus(std::unique_ptr<bus_core> core) noexcept;
    bus(bus&&) noexcept;
    bus& operator=(bus&&) noexcept;
    ~bus(); ///< stops, and waits for handlers that are still running

    /// Connects, declares what is needed at the broker and begins to handle messages. Throws not_running when somebody
    /// stops the bus meanwhile.
    void start();
    /// Starts, and stops at SIGINT or SIGTERM, also while it still waits for its broker. A second signal ends the
    /// process at once.
    stop_report run();
    /// Takes no more deliveries, lets running handlers finish for as long as `stop_timeout` says, and disconnects.
    /// What was not handled goes back to its queue.
    stop_report stop();

    /// Publishes an event to whoever subscribes; returns when the broker has confirmed it.
    template <typename Message> void publish(const Message& message, const dispatch_options& options = {}) {
        dispatch(message_kind::publish, message_ref{message}, options);
    }
    /// Sends a command to the queue its type leads to; returns when the broker has confirmed it. Throws transport_error
    /// when there is no such queue.
    template <typename Message> void send(const Message& message, const dispatch_options& options = {}) {
        dispatch(message_kind::send, message_ref{message}, options);
    }
    /// Asks and waits for the answer. Throws request_timeout, remote_error, unexpected_reply.
    template <typename Reply, typename Message>
    [[nodiscard]] Reply request(const Message& message, const request_options& options = {}) {
        Reply answer{};
        request_and_read(message_ref{message}, options, [&](const envelope& reply) { read_reply(reply, answer); });
        return answer;
    }
    /// Asks for something to be done and waits until it has been.
    template <typename Message> void request(const Message& message, const request_options& options = {}) {
        (void)request<request_handled>(message, options);
    }

    /// Publishes or sends at that moment (or that much later), unless it is cancelled before. Returns when the message
    /// is kept; without a store that is in this process, and ends with it. A moment that has passed is now.
    template <typename Message, typename When>
    schedule_token schedule_publish(const Message& message, When when, const dispatch_options& options = {}) {
        return schedule(message_kind::publish, message_ref{message}, when, options);
    }
    template <typename Message, typename When>
    schedule_token schedule_send(const Message& message, When when, const dispatch_options& options = {}) {
        return schedule(message_kind::send, message_ref{message}, when, options);
    }
    /// True when the message is not sent now; false when it was sent or cancelled already.
    bool cancel(const schedule_token& token);

    /// The same with any Asio completion token, many at once: `void(std::exception_ptr)` when the broker has answered,
    /// `void(std::exception_ptr, Reply)` when the reply is there. A completion handler that is bound to no executor is
    /// called on the bus's completion thread.
    template <typename Message, typename Token> auto async_publish(Message message, Token&& token) {
        return async_dispatch(message_kind::publish, std::move(message), {}, std::forward<Token>(token));
    }
    template <typename Message, typename Token>
    auto async_publish(Message message, dispatch_options options, Token&& token) {
        return async_dispatch(message_kind::publish, std::move(message), std::move(options),
                              std::forward<Token>(token));
    }
    template <typename Message, typename Token> auto async_send(Message message, Token&& token) {
        return async_dispatch(message_kind::send, std::move(message), {}, std::forward<Token>(token));
    }
    template <typename Message, typename Token>
    auto async_send(Message message, dispatch_options options, Token&& token) {
        return async_dispatch(message_kind::send, std::move(message), std::move(options), std::forward<Token>(token));
    }
    template <typename Reply, typename Message, typename Token> auto async_request(Message message, Token&& token) {
        return async_request<Reply>(std::move(message), request_options{}, std::forward<Token>(token));
    }
    /// Cancelling (Asio's per-operation cancellation) completes it with request_cancelled.
    template <typename Reply, typename Message, typename Token>
    auto async_request(Message message, request_options options, Token&& token) {
        return boost::asio::async_initiate<Token, void(std::exception_ptr, Reply)>(
            [](auto handler, bus_core* core, Message asked, request_options how) {
                begin_request<Reply>(*core, std::move(handler), asked, how);
            },
            token, core_.get(), std::move(message), std::move(options));
    }

    /// The way into the bus's store for code with a transaction of its own. For as long as the bus is there.
    [[nodiscard]] ferry::outbox outbox() noexcept { return ferry::outbox{*core_}; }

    /// What was built: endpoints, stages in order, message types and where they go.
    [[nodiscard]] bus_description describe() const;
    /// What `start` declares at the broker, and what carries its messages there.
    [[nodiscard]] const ferry::topology& topology() const noexcept;
    [[nodiscard]] const ferry::transport& transport() const noexcept;
    /// How it is doing right now: connected, consuming, held up by a breaker, what went wrong last.
    [[nodiscard]] bus_health health() const;
    [[nodiscard]] bus_counts counts() const noexcept;
    /// How many requests are waiting for their reply.
    [[nodiscard]] std::size_t pending_requests() const;

private:
    schedule_token schedule(message_kind kind, message_ref message, time_point at, const dispatch_options& options);
    schedule_token schedule(message_kind kind, message_ref message, duration delay, const dispatch_options& options);
    void dispatch(message_kind kind, message_ref message, const dispatch_options& options);
    void request_and_read(message_ref message, const request_options& options,
                          std::move_only_function<void(const envelope&)> read);

    static void start_dispatch(bus_core& core, message_kind kind, message_ref message, const dispatch_options& options,
                               const detail::async_send_ptr& sending);
    static void start_request(bus_core& core, message_ref message, const request_options& options, const uuid& id,
                              reply_callback on_reply);
    [[nodiscard]] static uuid next_request_id(bus_core& core);
    /// Ends the request; does nothing when it has ended, or the bus has.
    [[nodiscard]] static std::function<void()> canceller(bus_core& core, const uuid& id);
    [[nodiscard]] static boost::asio::any_io_executor completion_executor(bus_core& core);
    [[nodiscard]] static detail::completions& completions_of(bus_core& core);

    template <typename Message, typename Token>
    auto async_dispatch(message_kind kind, Message message, dispatch_options options, Token&& token) {
        return boost::asio::async_initiate<Token, void(std::exception_ptr)>(
            [kind](auto handler, bus_core* core, const Message& sent, const dispatch_options& how) {
                using sending = detail::posted_send<decltype(handler)>;
                start_dispatch(*core, kind, message_ref{sent}, how,
                               detail::async_send_ptr{new sending{std::move(handler), completions_of(*core)}});
            },
            token, core_.get(), std::move(message), std::move(options));
    }

    template <typename Reply, typename Message, typename Handler>
    static void begin_request(bus_core& core, Handler handler, const Message& message, const request_options& options) {
        const uuid id = next_request_id(core);
        detail::posted_completion completion{std::move(handler), completion_executor(core)};
        completion.on_cancel(canceller(core, id));
        start_request(core, message_ref{message}, options, id,
                      [completion = std::move(completion)](std::exception_ptr failure, const envelope* reply) mutable {
                          Reply answer{};
                          try {
                              if (reply != nullptr) {
                                  read_reply(*reply, answer);
                              }
                          } catch (...) {
                              failure = std::current_exception();
                          }
                          completion(std::move(failure), std::move(answer));
                      });
    }

    std::unique_ptr<bus_core> core_;
};

} // namespace ferry
