#include <ferry/exception_policy.hpp>
#include <ferry/middleware/receive/circuit_breaker.hpp>

#include <algorithm>

namespace ferry::middleware {

namespace {

/// A rule that gives up at once on a stated type, or forgets, is for what goes wrong in good order: a declined card, a
/// message seen before.
bool is_expected(const exception_rule* rule) {
    return rule != nullptr && !rule->retries && !rule->redeliveries &&
           (rule->then == last_resort::discard || !rule->is_for_all_others());
}

bool counts(const consumer_failure& failure) { return failure.attempts > 0 && !is_expected(failure.rule); }

bool counts_as_failure(receive_context& message) {
    return message.failures().empty() ? message.damage() == nullptr : std::ranges::any_of(message.failures(), counts);
}

} // namespace

std::optional<circuit_breaker> circuit_breaker::from(const endpoint_settings& endpoint,
                                                     const endpoint_breaker::ports& around) {
    return endpoint.circuit_breaker.enabled ? std::optional<circuit_breaker>{std::in_place, endpoint, around}
                                            : std::nullopt;
}

void circuit_breaker::operator()(receive_context& message, next<receive_context> next) const {
    const std::optional<breaker::period> admitted = breaker_->admits(message);
    if (!admitted) {
        return;
    }
    try {
        next(message);
    } catch (...) {
        if (counts_as_failure(message)) {
            breaker_->failed(*admitted, std::current_exception());
        } else {
            breaker_->said_nothing(*admitted);
        }
        throw;
    }
    if (message.settled() == settlement::handled) {
        breaker_->succeeded(*admitted);
    } else {
        breaker_->said_nothing(*admitted); // no handler has done its work: expired, for nobody here, or given back
    }
}

} // namespace ferry::middleware
