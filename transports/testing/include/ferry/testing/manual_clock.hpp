#pragma once

#include <ferry/time.hpp>

#include <condition_variable>
#include <cstddef>
#include <iterator>
#include <mutex>
#include <set>

namespace ferry::testing {

/// A clock that stands still until a test moves it. Whoever waits for a moment wakes when the clock is moved there.
class manual_clock final : public time_source {
public:
    explicit manual_clock(time_point start = std::chrono::sys_days{std::chrono::January / 1 / 2030}) : now_{start} {}

    [[nodiscard]] time_point now() const noexcept override {
        const std::lock_guard lock{mutex_};
        return now_;
    }

    bool wait_until(time_point due, std::stop_token stop) override {
        std::unique_lock lock{mutex_};
        const auto place = waiting_.insert(due);
        changed_.notify_all();
        changed_.wait(lock, stop, [&] { return now_ >= due; });
        waiting_.erase(place);
        return !stop.stop_requested();
    }

    void advance(duration length) { set(now() + length); }

    void set(time_point now) {
        const std::lock_guard lock{mutex_};
        now_ = now;
        changed_.notify_all();
    }

    /// Waits until a thread waits for a moment still to come and moves the clock there, to the first of them. Returns
    /// how far that was.
    duration advance_to_next() {
        std::unique_lock lock{mutex_};
        changed_.wait(lock, [&] { return still_waiting() > 0; });
        const duration length = *waiting_.upper_bound(now_) - now_;
        now_ += length;
        changed_.notify_all();
        return length;
    }

    /// Returns once that many threads wait for a moment that is still to come: what a test moves the clock for.
    void await_waiters(std::size_t count = 1) {
        std::unique_lock lock{mutex_};
        changed_.wait(lock, [&] { return still_waiting() >= count; });
    }

    /// Returns once a thread waits for exactly this moment.
    void await_waiter_for(time_point due) {
        std::unique_lock lock{mutex_};
        changed_.wait(lock, [&] { return waiting_.contains(due); });
    }

private:
    [[nodiscard]] std::size_t still_waiting() const {
        return static_cast<std::size_t>(std::distance(waiting_.upper_bound(now_), waiting_.end()));
    }

    mutable std::mutex mutex_;
    std::condition_variable_any changed_;
    std::multiset<time_point> waiting_;
    time_point now_;
};

} // namespace ferry::testing
