#pragma once

#include <ferry/error.hpp>
#include <ferry/time.hpp>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

namespace ferry::testing {

/// No thread waits for what a test wants to move the clock to. Lists what is waited for instead.
class nobody_waits : public error {
public:
    using error::error;
};

/// A clock that stands still until a test moves it. Whoever waits for a moment wakes when the clock is moved there.
/// What looks for waiting threads throws nobody_waits when they are not there within `patience`, which is real time.
class manual_clock final : public time_source {
public:
    explicit manual_clock(time_point start = std::chrono::sys_days{std::chrono::January / 1 / 2030}) : now_{start} {}

    [[nodiscard]] time_point now() const noexcept override;
    bool wait_until(time_point due, std::stop_token stop) override;

    void advance(duration length);
    void set(time_point now);

    /// Waits until a thread waits for a moment still to come and moves the clock there, to the first of them. Returns
    /// how far that was. Where several things wait, let `await_waiter_for` or a probe say that the one meant is there.
    duration advance_to_next(std::chrono::milliseconds patience = std::chrono::seconds{10});

    /// Returns once that many threads wait for a moment that is still to come: what a test moves the clock for.
    void await_waiters(std::size_t count = 1, std::chrono::milliseconds patience = std::chrono::seconds{10});

    /// Returns once a thread waits for exactly this moment.
    void await_waiter_for(time_point due, std::chrono::milliseconds patience = std::chrono::seconds{10});

private:
    using moments = std::vector<time_point>;

    /// What is waited for and still to come, in order. Whoever was told to stop waits no more, even while its thread
    /// has not noticed yet.
    [[nodiscard]] moments awaited() const;
    /// Returns what is awaited once that is enough.
    moments await(std::unique_lock<std::mutex>& lock, const std::function<bool(const moments&)>& enough,
                  const std::string& wanted, std::chrono::milliseconds patience);
    void move_to(time_point now);

    mutable std::mutex mutex_;
    std::condition_variable_any changed_;
    std::multimap<time_point, std::stop_token> waiting_;
    time_point now_;
};

} // namespace ferry::testing
