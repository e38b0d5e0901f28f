#include "../jitter.hpp"
#include "attempt.hpp"

#include <ferry/consumer.hpp>
#include <ferry/exception_summary.hpp>
#include <ferry/header_names.hpp>
#include <ferry/middleware/consume/retry.hpp>

#include <format>

namespace ferry::middleware {

std::optional<retry> retry::from(const consumer_settings& consumer, clock now, bus_counters& counters,
                                 const log_function& log) {
    return consumer.policy.retries() ? std::optional<retry>{std::in_place, consumer.policy, now, counters, log}
                                     : std::nullopt;
}

void retry::operator()(consume_context& message, next<consume_context> next) const {
    const consume_context::checkpoint before = message.before_attempt();
    while (const std::exception_ptr thrown = attempt(message, next)) {
        const std::optional<duration> wait = wait_after(thrown, message.attempt().retry);
        if (!wait || is_shared(message)) {
            std::rethrow_exception(thrown);
        }
        log(message, thrown, *wait);
        if (!now_.wait_for(*wait, message.delivery().stopping())) {
            return message.delivery().settle(settlement::returned);
        }
        ++counters_->retries;
        message.delivery().tell({occurrence::kind_type::retried, &message.consumer(), thrown});
        message.begin_next_attempt(before);
    }
}

// Information and no more: the policy expects it, and it may well succeed.
void retry::log(consume_context& message, const std::exception_ptr& thrown, duration wait) const {
    const exception_summary cause = summary_of(thrown);
    const std::string_view consumer = message.consumer().name();
    (*log_)(log_level::info,
            std::format("{}: {} {} failed in {} and is tried again in {}: {}: {}", message.endpoint(),
                        message.envelope().message_type, message.message_id().to_string(), consumer, to_text(wait),
                        cause.type, cause.text),
            {.endpoint = message.endpoint(),
             .consumer = consumer,
             .message = &message.envelope(),
             .attempt = std::int64_t{count_in(message.headers(), header_names::earlier_attempts)} +
                        message.attempt().retry + 1});
}

std::optional<duration> retry::wait_after(const std::exception_ptr& thrown, int earlier_retries) const {
    const exception_rule* rule = policy_->match(thrown);
    if (rule == nullptr || !rule->retries || earlier_retries >= rule->retries->attempts) {
        return std::nullopt;
    }
    return rule->retries->delay(earlier_retries + 1, jitter());
}

} // namespace ferry::middleware
