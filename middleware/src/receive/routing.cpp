#include <ferry/consumer.hpp>
#include <ferry/delivery_group.hpp>
#include <ferry/middleware/receive/routing.hpp>

#include <exception>
#include <utility>

namespace ferry::middleware {

namespace {

/// What running the consumer threw, or nothing. Policies are for what handlers throw: a body that cannot be read stays
/// that way.
consumer_failure outcome_of(consumer_run& run, receive_context& message) {
    const consumer& which = run.consumer();
    try {
        run.decode(message);
    } catch (...) {
        return {.consumer = &which, .thrown = std::current_exception()};
    }
    try {
        run.run();
        return {};
    } catch (...) {
        const std::exception_ptr thrown = std::current_exception();
        return {.consumer = &which,
                .thrown = thrown,
                .attempts = run.context().attempt().retry + 1,
                .rule = which.settings().policy.match(thrown)};
    }
}

/// A handler that throws while the bus stops may do so because it was asked to end. Its message is nobody's fault.
bool gave_up(const consumer_failure& failure, const receive_context& message) {
    return failure.attempts > 0 && message.stopping().stop_requested();
}

} // namespace

void routing::operator()(receive_context& message, next<receive_context> next) const {
    for (consumer_run* each : message.targets()) {
        if (consumer_failure outcome = outcome_of(*each, message); outcome.thrown) {
            if (delivery_group* const group = message.group()) {
                group->fail(); // it runs again alone, and what it does then counts
                return message.settle(settlement::returned);
            }
            if (gave_up(outcome, message)) {
                message.settle(settlement::returned);
            }
            message.failures().push_back(std::move(outcome));
        }
        if (message.settled()) {
            return; // it goes back, since the bus stops
        }
    }
    if (!message.failures().empty()) {
        std::rethrow_exception(message.failures().front().thrown);
    }
    if (!message.targets().empty()) {
        message.settle(settlement::handled);
    }
    next(message);
}

} // namespace ferry::middleware
