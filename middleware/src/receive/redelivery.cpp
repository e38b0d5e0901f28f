#include "../jitter.hpp"

#include <ferry/consumer.hpp>
#include <ferry/exception_policy.hpp>
#include <ferry/exception_summary.hpp>
#include <ferry/header_names.hpp>
#include <ferry/middleware/receive/redelivery.hpp>

#include <utility>

namespace ferry::middleware {

std::optional<redelivery> redelivery::from(const endpoint_settings& endpoint, envelope_sender& sender,
                                           ferry::scheduler* store, clock now, const log_function& log) {
    return endpoint.redelivers ? std::optional<redelivery>{std::in_place, sender, store, now, log} : std::nullopt;
}

void redelivery::operator()(receive_context& message, next<receive_context> next) const {
    std::exception_ptr thrown;
    try {
        return next(message);
    } catch (...) {
        thrown = std::current_exception();
    }
    const auto dealt_with =
        std::erase_if(message.failures(), [&](const consumer_failure& each) { return put_back(message, each); });
    if (dealt_with == 0 || !message.failures().empty()) {
        std::rethrow_exception(thrown);
    }
    message.settle(settlement::redelivered);
}

bool redelivery::put_back(receive_context& message, const consumer_failure& failure) const {
    if (failure.rule == nullptr || !failure.rule->redeliveries || message.envelope().kind == message_kind::request) {
        return false;
    }
    const delay_schedule& schedule = *failure.rule->redeliveries;
    const int earlier = count_in(message.envelope().headers, header_names::delayed_retry_count);
    if (earlier >= schedule.attempts) {
        return false;
    }
    send(message, failure, earlier + 1, schedule.delay(earlier + 1, jitter()));
    message.tell({occurrence::kind_type::redelivered, failure.consumer, failure.thrown});
    return true;
}

void redelivery::send(receive_context& message, const consumer_failure& failure, int number, duration delay) const {
    const endpoint_settings& endpoint = message.endpoint();
    envelope again = message.envelope();
    again.destination = endpoint.address; // never to where it was published, which would repeat it for others
    again.scheduled_at = later(now_(), delay);
    const std::int64_t attempts =
        std::int64_t{count_in(again.headers, header_names::earlier_attempts)} + failure.attempts;
    again.headers.set(header_names::delayed_retry_count, number);
    again.headers.set(header_names::target_consumer, failure.consumer->name());
    again.headers.set(header_names::earlier_attempts, attempts);
    const exception_summary cause = summary_of(failure.thrown);
    try {
        keep_for_later(again);
    } catch (const std::exception& unreachable) {
        throw redelivery_failed{"it could not be put back for later after " + cause.type + ": " + cause.text + ": " +
                                unreachable.what()};
    }
    (*log_)(log_level::warning,
            endpoint.name + ": " + again.message_type + " " + again.message_id.to_string() + " comes again to " +
                failure.consumer->name() + " in " + to_text(delay) + " (" + std::to_string(number) +
                "): " + cause.type + ": " + cause.text,
            {.endpoint = endpoint.name,
             .consumer = failure.consumer->name(),
             .message = &message.envelope(),
             .attempt = attempts});
}

void redelivery::keep_for_later(const envelope& message) const {
    if (store_ != nullptr) {
        store_->keep_again(message);
    } else {
        sender_->send_now(message);
    }
}

} // namespace ferry::middleware
