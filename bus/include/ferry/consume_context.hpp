#pragma once

#include <ferry/dispatcher.hpp>
#include <ferry/features.hpp>
#include <ferry/receive_context.hpp>

#include <stop_token>
#include <string_view>

namespace ferry {

class consumer;

/// One message in the hands of one consumer: what a handler may ask about the message it handles, and its way to send
/// others. What it publishes, sends or replies with leaves when it has succeeded, and not at all when it throws.
class consume_context {
public:
    consume_context(const ferry::consumer& consumer, dispatcher& bus) noexcept : consumer_{consumer}, bus_{bus} {}
    consume_context(const consume_context&) = delete;
    consume_context& operator=(const consume_context&) = delete;
    ~consume_context() = default;

    /// Publishes an event in the conversation of the handled message.
    template <typename Message> void publish(const Message& message, const dispatch_options& options = {}) {
        dispatch(message_kind::publish, message_ref{message}, options);
    }
    /// Sends a command to the one queue its type leads to, or to the one in the options.
    template <typename Message> void send(const Message& message, const dispatch_options& options = {}) {
        dispatch(message_kind::send, message_ref{message}, options);
    }
    /// Answers the handled message, which must be a request. A handler that returns its reply need not call this.
    template <typename Message> void reply(const Message& message, const dispatch_options& options = {}) {
        dispatch_reply(message_ref{message}, options);
    }
    /// Asks another service and waits for the answer; the request leaves at once. Throws request_timeout, remote_error.
    template <typename Reply, typename Message>
    [[nodiscard]] Reply request(const Message& message, const request_options& options = {}) {
        Reply answer{};
        request_and_wait(message_ref{message}, options,
                         [&](const ferry::envelope& reply) { read_reply(reply, answer); });
        return answer;
    }

    [[nodiscard]] const ferry::envelope& envelope() const noexcept { return receive_->envelope(); }
    [[nodiscard]] const ferry::headers& headers() const noexcept { return envelope().headers; }
    [[nodiscard]] const uuid& message_id() const noexcept { return envelope().message_id; }
    [[nodiscard]] const uuid& conversation_id() const noexcept { return envelope().conversation_id; }
    [[nodiscard]] std::string_view tenant() const noexcept { return envelope().tenant; }
    [[nodiscard]] const ferry::consumer& consumer() const noexcept { return consumer_; }
    [[nodiscard]] std::string_view endpoint() const noexcept;
    /// True when the queue has handed this message out before.
    [[nodiscard]] bool redelivered() const noexcept { return receive_->earlier_deliveries() > 0; }
    /// Requested when the bus stops: a handler that takes long should look at it.
    [[nodiscard]] const std::stop_token& stopping() const noexcept { return receive_->stopping(); }
    [[nodiscard]] feature_set& features() noexcept { return features_; }

    /// For stages: the decoded message, and what the handler has sent so far.
    [[nodiscard]] const void* message() const noexcept { return message_; }
    [[nodiscard]] collected_messages& collected() noexcept { return collected_; }
    [[nodiscard]] receive_context& delivery() noexcept { return *receive_; }
    [[nodiscard]] bool wants_reply() const noexcept {
        return envelope().kind == message_kind::request && !envelope().response.empty();
    }
    /// For the handler stage: answers for a handler that returned nothing and did not reply itself.
    void acknowledge_request();

    /// Begins a message; `decoded` stays valid until the next.
    void open(receive_context& receive, const void* decoded) noexcept;
    /// Forgets what a failed attempt has collected, so that the next begins like the first.
    void begin_attempt() noexcept;

private:
    void dispatch(message_kind kind, message_ref message, const dispatch_options& options);
    void dispatch_reply(message_ref message, const dispatch_options& options);
    void request_and_wait(message_ref message, const request_options& options,
                          std::move_only_function<void(const ferry::envelope&)> read);

    const ferry::consumer& consumer_;
    dispatcher& bus_;
    receive_context* receive_ = nullptr;
    const void* message_ = nullptr;
    bool replied_ = false;
    feature_set features_;
    collected_messages collected_;
    dispatch_context outgoing_;
};

} // namespace ferry
