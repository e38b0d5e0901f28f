#pragma once

#include <ferry/time.hpp>

#include <mutex>
#include <stop_token>

namespace ferry {

/// Where a background thread sleeps between two rounds of its work, on the bus's clock, until somebody wakes it.
class sleeper {
public:
    explicit sleeper(clock now) noexcept : now_{now} {}

    /// For the one thread that sleeps. Returns when it is due or was woken; at once when it was woken before.
    void sleep_until(time_point due);
    /// From any thread.
    void wake();

private:
    clock now_;
    std::mutex mutex_;
    bool woken_ = false;
    std::stop_source sleep_{std::nostopstate};
};

} // namespace ferry
