#include "../jitter.hpp"
#include "attempt.hpp"

#include <ferry/middleware/consume/retry.hpp>

namespace ferry::middleware {

std::optional<retry> retry::from(const consumer_settings& consumer, clock now, bus_counters& counters) {
    return consumer.policy.retries() ? std::optional<retry>{std::in_place, consumer.policy, now, counters}
                                     : std::nullopt;
}

void retry::operator()(consume_context& message, next<consume_context> next) const {
    const consume_context::checkpoint before = message.before_attempt();
    while (const std::exception_ptr thrown = attempt(message, next)) {
        const std::optional<duration> wait = wait_after(thrown, message.attempt().retry);
        if (!wait || is_shared(message)) {
            std::rethrow_exception(thrown);
        }
        if (!now_.wait_for(*wait, message.delivery().stopping())) {
            return message.delivery().settle(settlement::returned);
        }
        ++counters_->retries;
        message.begin_next_attempt(before);
    }
}

std::optional<duration> retry::wait_after(const std::exception_ptr& thrown, int earlier_retries) const {
    const exception_rule* rule = policy_->match(thrown);
    if (rule == nullptr || !rule->retries || earlier_retries >= rule->retries->attempts) {
        return std::nullopt;
    }
    return rule->retries->delay(earlier_retries + 1, jitter());
}

} // namespace ferry::middleware
