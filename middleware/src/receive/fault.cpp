#include <ferry/consumer.hpp>
#include <ferry/exception_policy.hpp>
#include <ferry/header_names.hpp>
#include <ferry/middleware/receive/fault.hpp>
#include <ferry/middleware/receive/redelivery.hpp>
#include <ferry/request.hpp>
#include <ferry/settings.hpp>

#include <cstdint>
#include <format>
#include <optional>
#include <utility>

namespace ferry::middleware {

namespace {

std::string iso_text(time_point moment) {
    return std::format("{:%FT%TZ}", std::chrono::floor<std::chrono::milliseconds>(moment));
}

bool asks_for_reply(const envelope& message) {
    return message.kind == message_kind::request && !message.response.empty();
}

bool is_discarded(const consumer_failure& failure) {
    return failure.rule != nullptr && failure.rule->then == last_resort::discard;
}

occurrence::kind_type kind_of(settlement ended) noexcept {
    using enum occurrence::kind_type;
    return ended == settlement::discarded ? discarded : ended == settlement::rejected ? rejected : dead_lettered;
}

/// How often the consumer was called with this message, also in earlier deliveries.
std::int64_t attempts_at(const envelope& message, const consumer_failure& failure) noexcept {
    return std::int64_t{count_in(message.headers, header_names::earlier_attempts)} + failure.attempts;
}

/// Of several ends the one to count: people must hear of what was not discarded.
settlement graver(settlement one, settlement other) { return one == settlement::discarded ? other : one; }

} // namespace

void fault::operator()(receive_context& message, next<receive_context> next) const {
    try {
        return next(message);
    } catch (const redelivery_failed&) {
        throw; // its policy gives it another chance, so it goes back
    } catch (...) {
        if (message.failures().empty()) {
            message.failures().push_back({.consumer = nullptr, .thrown = std::current_exception()});
        }
    }
    // Outside the catch, so that a failure in here is not nested in the first.
    settlement outcome = settlement::discarded;
    for (const consumer_failure& each : message.failures()) {
        const settlement ended = end(message, each);
        message.tell({kind_of(ended), each.consumer, each.thrown});
        outcome = graver(outcome, ended);
    }
    message.settle(outcome);
}

settlement fault::end(receive_context& message, const consumer_failure& failure) const {
    const exception_summary cause = summary_of(failure.thrown);
    const bool discarded = is_discarded(failure);
    control_->report(cause.type + ": " + cause.text);
    if (asks_for_reply(message.envelope()) && tell_requester(message, cause)) {
        return discarded ? settlement::discarded : settlement::dead_lettered;
    }
    if (discarded) {
        log(log_level::warning, message, "was discarded", failure, cause);
        return settlement::discarded;
    }
    if (message.endpoint().error_queue.empty()) {
        log(log_level::error, message, "was rejected", failure, cause);
        return settlement::rejected;
    }
    move_to_error_queue(message, failure, cause);
    log(log_level::error, message, "went to " + message.endpoint().error_queue, failure, cause);
    return settlement::dead_lettered;
}

bool fault::tell_requester(receive_context& message, const exception_summary& cause) const {
    const request_failed reply{cause.type, cause.text};
    try {
        // Past the outbox: nothing is committed with it, and a row would not tell whether anybody was there to hear.
        bus_->dispatch_and_wait({.kind = message_kind::reply,
                                 .message = message_ref{reply},
                                 .options = immediate,
                                 .cause = &message.envelope(),
                                 .source = &message.endpoint().address});
        return true;
    } catch (const error& unheard) {
        if (unheard.is_transient()) {
            throw;
        }
        return false; // there is nobody to tell, today or tomorrow, so the request must not go back for another try
    }
}

void fault::move_to_error_queue(receive_context& message, const consumer_failure& failure,
                                const exception_summary& cause) const {
    const endpoint_settings& endpoint = message.endpoint();
    envelope dead = message.envelope();
    dead.kind = message_kind::fault;
    dead.destination = address::queue(endpoint.error_queue);
    dead.headers.set(header_names::fault_exception_type, cause.type);
    dead.headers.set(header_names::fault_message, cause.text);
    dead.headers.set(header_names::fault_timestamp, iso_text(now_()));
    dead.headers.set(header_names::fault_endpoint, endpoint.name);
    if (failure.consumer != nullptr) {
        dead.headers.set(header_names::fault_consumer, failure.consumer->name());
    }
    dead.headers.set(header_names::fault_attempts, attempts_at(message.envelope(), failure));
    if (const std::string stack = traces_ == nullptr ? "" : traces_->trace_of(failure.thrown); !stack.empty()) {
        dead.headers.set(header_names::fault_stack_trace, stack);
    }
    if (const auto deadline = std::exchange(dead.deliver_by, std::nullopt)) { // or it would be gone before it is seen
        dead.headers.set(header_names::fault_deliver_by, iso_text(*deadline));
    }
    // Whoever takes it from there is another handler, which begins anew. What these said is in the headers above.
    for (const std::string_view each :
         {header_names::earlier_attempts, header_names::delayed_retry_count, header_names::target_consumer}) {
        dead.headers.erase(each);
    }
    bus_->send_now(dead);
}

void fault::log(log_level level, receive_context& message, const std::string& what, const consumer_failure& failure,
                const exception_summary& cause) const {
    const envelope& failed = message.envelope();
    (*log_)(level,
            message.endpoint().name + ": " + failed.message_type + " " + failed.message_id.to_string() + " " + what +
                ": " + cause.type + ": " + cause.text,
            {.endpoint = message.endpoint().name,
             .consumer = failure.consumer != nullptr ? std::string_view{failure.consumer->name()} : "",
             .message = &failed,
             .attempt = attempts_at(failed, failure)});
}

} // namespace ferry::middleware
