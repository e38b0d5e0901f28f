#include <ferry/consume_context.hpp>
#include <ferry/header_names.hpp>
#include <ferry/receive_context.hpp>
#include <ferry/settings.hpp>
#include <ferry/store.hpp>

namespace ferry {

std::string_view consume_context::endpoint() const noexcept { return receive_->endpoint().name; }

void consume_context::open(receive_context& receive, const void* decoded) noexcept {
    receive_ = &receive;
    message_ = decoded;
    features_.clear();
    collected_.clear();
    work_ = nullptr;
    replied_ = false;
    stop_with(nullptr);
    attempt_ = {.retry = 0, .redelivery = count_in(receive.envelope().headers, header_names::delayed_retry_count)};
}

void consume_context::begin_next_attempt(const checkpoint& before) noexcept {
    features_.rewind(before.features);
    collected_.rewind(before.collected);
    replied_ = false;
    ++attempt_.retry;
}

void consume_context::stop_with(const std::stop_token* other) noexcept {
    stopping_ = other != nullptr ? other : &receive_->stopping();
}

void* consume_context::native_transaction(const std::type_info& type, std::string_view name) {
    if (work_ == nullptr) {
        throw error{"the handler asks for a transaction, but its bus has no store; give it one with "
                    "builder.persistence(...)"};
    }
    void* const found = work_->native(type);
    if (found == nullptr) {
        throw error{"the handler asks for a transaction of type " + std::string{name} +
                    ", but the store of its bus offers " + std::string{work_->native_names()}};
    }
    return found;
}

void consume_context::acknowledge_request() {
    if (wants_reply() && !replied_) {
        reply(request_handled{});
    }
}

void consume_context::dispatch(message_kind kind, message_ref message, const dispatch_options& options) {
    outgoing_.clear();
    outgoing_.collector = options.immediate ? nullptr : &collected_;
    bus_.dispatch_and_wait({.kind = kind,
                            .message = message,
                            .options = options,
                            .cause = &envelope(),
                            .source = &receive_->endpoint().address},
                           outgoing_);
}

schedule_token consume_context::schedule(message_kind kind, message_ref message, time_point at,
                                         const dispatch_options& options) {
    const schedule_token token = bus_.next_token();
    outgoing_.clear();
    outgoing_.collector = options.immediate ? nullptr : &collected_;
    bus_.dispatch_and_wait({.kind = kind,
                            .message = message,
                            .options = options,
                            .cause = &envelope(),
                            .source = &receive_->endpoint().address,
                            .token = &token,
                            .at = at},
                           outgoing_);
    return token;
}

schedule_token consume_context::schedule(message_kind kind, message_ref message, duration delay,
                                         const dispatch_options& options) {
    return schedule(kind, message, later(bus_.now(), delay), options);
}

bool consume_context::cancel(const schedule_token& token) {
    return collected_.cancel(token.id) || (work_ != nullptr ? work_->cancel(token.id) : bus_.cancel(token));
}

void consume_context::dispatch_reply(message_ref message, const dispatch_options& options) {
    if (!wants_reply()) {
        throw error{"there is nobody to reply to: " + envelope().message_type + " is not a request"};
    }
    dispatch(message_kind::reply, message, options);
    replied_ = true;
}

void consume_context::request_and_wait(message_ref message, const request_options& options,
                                       std::move_only_function<void(const ferry::envelope&)> read) {
    bus_.request_and_wait({.kind = message_kind::request,
                           .message = message,
                           .options = options.dispatch,
                           .cause = &envelope(),
                           .source = &receive_->endpoint().address},
                          options.timeout, std::move(read));
}

} // namespace ferry
