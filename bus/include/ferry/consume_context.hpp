#pragma once

#include <ferry/dispatcher.hpp>
#include <ferry/features.hpp>
#include <ferry/observer.hpp>
#include <ferry/receive_context.hpp>
#include <ferry/reflection/type_name.hpp>

#include <stop_token>
#include <string_view>
#include <typeinfo>

namespace ferry {

class consumer;
class unit_of_work;

/// Which try of a message this is; the first is 0 and 0.
struct attempt_number {
    int retry = 0;      ///< how often it was tried before in this delivery
    int redelivery = 0; ///< how often it was put back for later

    [[nodiscard]] bool is_first() const noexcept { return retry == 0 && redelivery == 0; }
};

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
    /// Publishes or sends at that moment (or that much later), unless it is cancelled before. Like everything a handler
    /// sends it is there once the handler has succeeded, and not at all when it throws.
    template <typename Message, typename When>
    schedule_token schedule_publish(const Message& message, When when, const dispatch_options& options = {}) {
        return schedule(message_kind::publish, message_ref{message}, when, options);
    }
    template <typename Message, typename When>
    schedule_token schedule_send(const Message& message, When when, const dispatch_options& options = {}) {
        return schedule(message_kind::send, message_ref{message}, when, options);
    }
    /// Over a store the message is off the schedule once the handler has succeeded, and waits as before when it throws;
    /// without one it is gone at once. False when it was sent or cancelled already.
    bool cancel(const schedule_token& token);
    /// Asks another service and waits for the answer; the request leaves at once. Throws request_timeout, remote_error.
    template <typename Reply, typename Message>
    [[nodiscard]] Reply request(const Message& message, const request_options& options = {}) {
        Reply answer{};
        request_and_wait(message_ref{message}, options,
                         [&](const ferry::envelope& reply) { read_reply(reply, answer); });
        return answer;
    }

    /// The transaction this attempt runs in, as the library of the bus's store knows it: `pqxx::work`, `sqlite3`. What
    /// the handler writes in it, that the message was handled, and what the handler publishes are committed together or
    /// not at all; committing is not the handler's business. Throws when there is none, or one of another type.
    template <typename Transaction> [[nodiscard]] Transaction& transaction() {
        return *static_cast<Transaction*>(native_transaction(typeid(Transaction*), type_name<Transaction>()));
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
    [[nodiscard]] const attempt_number& attempt() const noexcept { return attempt_; }
    /// Requested when the bus stops, and when the handler's time is up: a handler that takes long should look at it.
    [[nodiscard]] const std::stop_token& stopping() const noexcept { return *stopping_; }
    [[nodiscard]] feature_set& features() noexcept { return features_; }

    /// For stages: the decoded message, and what the handler has sent so far.
    [[nodiscard]] const void* message() const noexcept { return message_; }
    [[nodiscard]] collected_messages& collected() noexcept { return collected_; }
    [[nodiscard]] receive_context& delivery() noexcept { return *receive_; }
    [[nodiscard]] bool wants_reply() const noexcept {
        return envelope().kind == message_kind::request && !envelope().response.empty();
    }
    /// Whoever observes this attempt hears of it, if anybody does.
    void tell(const occurrence& what) noexcept {
        if (observed_ != nullptr) {
            observed_->happened(what);
        }
    }
    void observe_with(observation* work) noexcept { observed_ = work; }
    [[nodiscard]] observation* observed() const noexcept { return observed_; }
    /// The unit of work of this attempt; nullptr outside of one.
    [[nodiscard]] unit_of_work* work() const noexcept { return work_; }
    void work_in(unit_of_work* work) noexcept { work_ = work; }
    /// For the handler stage: answers for a handler that returned nothing and did not reply itself.
    void acknowledge_request();

    /// Begins a message; `decoded` stays valid until the next.
    void open(receive_context& receive, const void* decoded) noexcept;

    /// What was there before an attempt; for the stage that may have to begin another.
    struct checkpoint {
        feature_set::era features;
        collected_messages::moment collected;
    };
    [[nodiscard]] checkpoint before_attempt() noexcept { return {features_.mark(), collected_.mark()}; }
    /// Forgets what the failed attempt left, its features and collected messages, and counts one more.
    void begin_next_attempt(const checkpoint& before) noexcept;
    /// Gives the handler another token to look at; none: the bus's own again.
    void stop_with(const std::stop_token* other) noexcept;

private:
    [[nodiscard]] void* native_transaction(const std::type_info& type, std::string_view name);
    void dispatch(message_kind kind, message_ref message, const dispatch_options& options);
    schedule_token schedule(message_kind kind, message_ref message, time_point at, const dispatch_options& options);
    schedule_token schedule(message_kind kind, message_ref message, duration delay, const dispatch_options& options);
    void dispatch_reply(message_ref message, const dispatch_options& options);
    void request_and_wait(message_ref message, const request_options& options,
                          std::move_only_function<void(const ferry::envelope&)> read);

    const ferry::consumer& consumer_;
    dispatcher& bus_;
    receive_context* receive_ = nullptr;
    const void* message_ = nullptr;
    const std::stop_token* stopping_ = nullptr;
    unit_of_work* work_ = nullptr;
    observation* observed_ = nullptr;
    attempt_number attempt_;
    bool replied_ = false;
    feature_set features_;
    collected_messages collected_;
    dispatch_context outgoing_;
};

} // namespace ferry
