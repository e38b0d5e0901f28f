#include <ferry/middleware/breaker.hpp>

#include <algorithm>

namespace ferry::middleware {

bool breaker::admits(time_point now) noexcept {
    if (state_ == breaker_state::open && now >= open_until_) {
        state_ = breaker_state::half_open;
        return true;
    }
    return state_ == breaker_state::closed;
}

bool breaker::succeeded(time_point now) noexcept {
    if (state_ == breaker_state::half_open) {
        close();
        return true;
    }
    ++current(now).succeeded;
    return false;
}

bool breaker::failed(time_point now) noexcept {
    if (state_ == breaker_state::half_open) {
        open(now);
        return true;
    }
    ++current(now).failed;
    const counts all = seen(now);
    const auto total = static_cast<double>(all.succeeded + all.failed);
    if (state_ == breaker_state::open || total < static_cast<double>(settings_.minimum_throughput) ||
        static_cast<double>(all.failed) < settings_.failure_ratio * total) {
        return false;
    }
    open(now);
    return true;
}

void breaker::said_nothing() noexcept {
    if (state_ == breaker_state::half_open) {
        state_ = breaker_state::open; // and its time is up already
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
    state_ = breaker_state::open;
    open_until_ = now + settings_.break_duration;
    window_ = {};
}

void breaker::close() noexcept {
    state_ = breaker_state::closed;
    window_ = {};
}

} // namespace ferry::middleware
