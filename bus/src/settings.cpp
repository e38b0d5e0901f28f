#include <ferry/settings.hpp>

namespace ferry {

namespace {

/// What is no number is no share, either.
bool is_share(double value) noexcept { return value > 0 && value <= 1; }

void validate_count(const std::optional<std::size_t>& count, const std::string& scope, const std::string& what,
                    std::vector<std::string>& problems) {
    if (count == std::size_t{0}) {
        problems.push_back(scope + ": the " + what + " is 0, so nothing would ever be handled; set it to 1 or more");
    }
}

void validate_backoff(const backoff_options& backoff, const std::string& scope, std::vector<std::string>& problems) {
    if (backoff.base_delay < duration::zero()) {
        problems.push_back(scope + ": the base delay of the recovery backoff is negative; set it to zero or more");
    }
    if (backoff.max_delay < backoff.base_delay) {
        problems.push_back(scope +
                           ": the longest delay of the recovery backoff is below its base delay; raise max_delay or "
                           "lower base_delay");
    }
}

} // namespace

duration backoff_options::delay(int earlier_failures) const noexcept {
    duration wait = base_delay;
    for (int i = 0; i < earlier_failures && wait > duration::zero() && wait < max_delay; ++i) {
        wait = wait > max_delay / 2 ? max_delay : wait * 2;
    }
    return wait;
}

breaker_options breaker_options::over(const breaker_options& wider) const {
    return {.enabled = enabled ? enabled : wider.enabled,
            .failure_ratio = failure_ratio ? failure_ratio : wider.failure_ratio,
            .minimum_throughput = minimum_throughput ? minimum_throughput : wider.minimum_throughput,
            .sampling_window = sampling_window ? sampling_window : wider.sampling_window,
            .break_duration = break_duration ? break_duration : wider.break_duration};
}

void breaker_options::validate(const std::string& what, std::vector<std::string>& problems) const {
    if (failure_ratio && !is_share(*failure_ratio)) {
        problems.push_back(what + ": the failure ratio is a part of the messages; set it above 0 and at most to 1");
    }
    if (minimum_throughput == std::size_t{0}) {
        problems.push_back(what + ": the minimum throughput is 0; set it to 1 or more");
    }
    if (sampling_window && *sampling_window <= duration::zero()) {
        problems.push_back(what + ": the sampling window is no time at all; set it above zero");
    }
    if (break_duration && *break_duration <= duration::zero()) {
        problems.push_back(what +
                           ": the break is no time at all; set it above zero, or the breaker to enabled = false");
    }
}

breaker_settings breaker_settings::with(const breaker_options& options) const {
    return {.enabled = options.enabled.value_or(enabled),
            .failure_ratio = options.failure_ratio.value_or(failure_ratio),
            .minimum_throughput = options.minimum_throughput.value_or(minimum_throughput),
            .sampling_window = options.sampling_window.value_or(sampling_window),
            .break_duration = options.break_duration.value_or(break_duration)};
}

consumer_options consumer_options::over(const consumer_options& wider) const {
    return {.policy = policy ? policy : wider.policy,
            .handler_timeout = handler_timeout ? handler_timeout : wider.handler_timeout,
            .inbox = inbox ? inbox : wider.inbox};
}

void consumer_options::validate(const std::string& scope, std::vector<std::string>& problems) const {
    if (policy) {
        policy->validate(scope, problems);
    }
    if (handler_timeout && *handler_timeout <= duration::zero()) {
        problems.push_back(scope + ": the handler timeout is no time at all; set it above zero");
    }
}

endpoint_options endpoint_options::over(const endpoint_options& wider) const {
    return {.concurrency = concurrency ? concurrency : wider.concurrency,
            .prefetch = prefetch ? prefetch : wider.prefetch,
            .recovery = recovery ? recovery : wider.recovery,
            .group_commit = group_commit ? group_commit : wider.group_commit,
            .circuit_breaker = circuit_breaker.over(wider.circuit_breaker),
            .transport_circuit_breaker = transport_circuit_breaker.over(wider.transport_circuit_breaker)};
}

void endpoint_options::validate(const std::string& scope, std::vector<std::string>& problems) const {
    validate_count(concurrency, scope, "concurrency limit", problems);
    validate_count(prefetch, scope, "prefetch", problems);
    validate_count(group_commit, scope, "group commit", problems);
    if (recovery) {
        validate_backoff(*recovery, scope, problems);
    }
    circuit_breaker.validate(scope + ", circuit breaker", problems);
    transport_circuit_breaker.validate(scope + ", transport circuit breaker", problems);
}

} // namespace ferry
