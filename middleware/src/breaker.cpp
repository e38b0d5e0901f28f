#include <ferry/middleware/breaker.hpp>

#include <algorithm>
#include <utility>

namespace ferry::middleware {

std::optional<breaker::period> breaker::admits(time_point now) noexcept {
    const bool is_test = state_ == breaker_state::open && now >= open_until_;
    if (is_test) {
        enter(breaker_state::half_open);
    }
    return is_test || state_ == breaker_state::closed ? std::optional{period_} : std::nullopt;
}

bool breaker::succeeded(period admitted, time_point now) noexcept {
    if (admitted != period_) {
        return false;
    }
    if (state_ == breaker_state::half_open) {
        enter(breaker_state::closed);
        return true;
    }
    ++current(now).succeeded;
    return false;
}

bool breaker::failed(period admitted, time_point now) noexcept {
    if (admitted != period_) {
        return false;
    }
    ++current(now).failed;
    const counts all = seen(now);
    const auto total = static_cast<double>(all.succeeded + all.failed);
    if (state_ == breaker_state::closed && (total < static_cast<double>(settings_.minimum_throughput) ||
                                            static_cast<double>(all.failed) < settings_.failure_ratio * total)) {
        return false;
    }
    open(now);
    return true;
}

void breaker::said_nothing(period admitted) noexcept {
    if (admitted == period_ && state_ == breaker_state::half_open) {
        enter(breaker_state::open); // and its time is up already
    }
}

breaker::counts breaker::seen(time_point now) noexcept {
    (void)current(now);
    counts all;
    for (const counts& each : window_) {
        all.succeeded += each.succeeded;
        all.failed += each.failed;
    }
    return all;
}

breaker::counts& breaker::current(time_point now) noexcept {
    const duration length = std::max(duration{1}, settings_.sampling_window / static_cast<duration::rep>(steps));
    const std::int64_t step = now.time_since_epoch() / length;
    const auto slot = [](std::int64_t number) { return static_cast<std::size_t>(number) % steps; };
    // Time passed: the steps it passed over begin again. A clock that was set back stays with the step it had.
    for (std::int64_t stale = std::max(step_ + 1, step - static_cast<std::int64_t>(steps) + 1); stale <= step;
         ++stale) {
        window_[slot(stale)] = {};
    }
    step_ = std::max(step_, step);
    return window_[slot(step_)];
}

void breaker::open(time_point now) noexcept {
    enter(breaker_state::open);
    open_until_ = now + settings_.break_duration;
}

void breaker::enter(breaker_state state) noexcept {
    state_ = state;
    period_ = period{std::to_underlying(period_) + 1};
    window_ = {};
}

} // namespace ferry::middleware
