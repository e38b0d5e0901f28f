#pragma once

#include <ferry/time.hpp>

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

namespace ferry {

/// Runs actions when they are due, in due order, on one thread that starts with the first of them and sleeps in
/// between. Actions are short, do not throw, and are never user code.
class timer_queue {
public:
    using action = std::move_only_function<void()>;
    /// When it is due, and which of those due then it is.
    using timer = std::pair<time_point, std::uint64_t>;

    explicit timer_queue(clock now) noexcept : now_{now} {}
    timer_queue(const timer_queue&) = delete;
    timer_queue& operator=(const timer_queue&) = delete;
    ~timer_queue() { stop(); }

    /// Returns when no action runs any more; what is not due yet is never run.
    void stop() noexcept;

    timer at(time_point due, action what);
    /// After all that is due already: what comes back again and again leaves room for the others.
    timer soon(action what) { return at(now_(), std::move(what)); }
    /// False when the action has begun already.
    bool cancel(const timer& which);

private:
    void run();
    /// Waits until something is due; false when the queue ends.
    bool await_due(std::unique_lock<std::mutex>& lock);
    void sleep_until(time_point due, std::unique_lock<std::mutex>& lock);
    void wake();
    [[nodiscard]] action take_first();

    clock now_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::stop_source sleep_{std::nostopstate};
    std::map<timer, action> timers_;
    std::uint64_t made_ = 0;
    bool ending_ = false;
    std::thread thread_;
};

} // namespace ferry
