#include "endpoint_gate.hpp"

#include <algorithm>
#include <iterator>
#include <ranges>
#include <utility>

namespace ferry {

void endpoint_gate::open(subscription& source, delivery_queue& waiting) {
    const std::scoped_lock lock{mutex_};
    source_ = &source;
    waiting_ = &waiting;
    adjust();
}

void endpoint_gate::close() {
    const std::scoped_lock lock{mutex_};
    source_ = nullptr;
    if (timer_) {
        timers_.cancel(*timer_);
    }
}

void endpoint_gate::hold(std::string_view holder, time_point until) {
    const std::scoped_lock lock{mutex_};
    holders_.insert_or_assign(std::string{holder}, until);
    adjust();
}

void endpoint_gate::release(std::string_view holder) {
    const std::scoped_lock lock{mutex_};
    if (const auto held = holders_.find(holder); held != holders_.end()) {
        holders_.erase(held);
        adjust();
    }
}

void endpoint_gate::report(std::string_view failure) {
    const std::scoped_lock lock{mutex_};
    last_error_ = failure;
    last_error_at_ = now_();
}

void endpoint_gate::leave(ticket entered) noexcept {
    if (entered == 0 || entered != test_.load(std::memory_order_relaxed)) {
        return;
    }
    const std::scoped_lock lock{mutex_};
    if (state_ == state::testing && entered == tests_) {
        adjust();
    }
}

void endpoint_gate::describe(endpoint_health& health) const {
    const std::scoped_lock lock{mutex_};
    health.consuming = source_ != nullptr && state_ != state::shut && source_->is_consuming();
    health.breaker = state_ == state::running ? "closed" : state_ == state::shut ? "open" : "half open";
    std::ranges::copy(holders_ | std::views::keys, std::back_inserter(health.held_by));
    if (!holders_.empty()) {
        health.held_until = std::ranges::max(holders_ | std::views::values);
    }
    health.last_error = last_error_;
    health.last_error_at = last_error_at_;
}

void endpoint_gate::adjust() {
    test_ = 0;
    if (source_ == nullptr) {
        return;
    }
    if (!holders_.empty()) {
        const time_point until = std::ranges::max(holders_ | std::views::values);
        return until > now_() ? shut(until) : let_one_through();
    }
    if (std::exchange(state_, state::running) != state::running) {
        source_->resume();
    }
}

void endpoint_gate::shut(time_point until) {
    state_ = state::shut;
    source_->pause();
    waiting_->give_back();
    if (timer_) {
        timers_.cancel(*timer_);
    }
    timer_ = timers_.at(until, [this] { wake(); });
}

void endpoint_gate::let_one_through() {
    state_ = state::testing;
    test_ = ++tests_;
    source_->resume_for_one();
}

void endpoint_gate::wake() {
    const std::scoped_lock lock{mutex_};
    if (source_ != nullptr && state_ == state::shut) {
        adjust();
    }
}

} // namespace ferry
