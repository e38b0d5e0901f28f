#include <ferry/settings.hpp>

namespace ferry {

namespace {

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

endpoint_options endpoint_options::over(const endpoint_options& wider) const {
    return {.concurrency = concurrency ? concurrency : wider.concurrency,
            .prefetch = prefetch ? prefetch : wider.prefetch,
            .recovery = recovery ? recovery : wider.recovery};
}

void endpoint_options::validate(const std::string& scope, std::vector<std::string>& problems) const {
    validate_count(concurrency, scope, "concurrency limit", problems);
    validate_count(prefetch, scope, "prefetch", problems);
    if (recovery) {
        validate_backoff(*recovery, scope, problems);
    }
}

} // namespace ferry
