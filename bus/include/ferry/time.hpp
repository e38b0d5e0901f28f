#pragma once

#include <chrono>
#include <functional>
#include <stop_token>

namespace ferry {

/// A moment as ferry carries it: UTC, to the nanosecond.
using time_point = std::chrono::sys_time<std::chrono::nanoseconds>;
using duration = std::chrono::nanoseconds;

/// The moment that long after another; the last there is when it would lie beyond, so that "for ever" is a duration.
[[nodiscard]] constexpr time_point later(time_point from, duration length) noexcept {
    return length > duration::zero() && from > time_point::max() - length ? time_point::max() : from + length;
}

/// Where a bus takes its time from. The system's clock in production, one that is moved by hand in tests; whatever
/// in ferry depends on the time of day or on delays goes through this port.
class time_source {
public:
    time_source() = default;
    time_source(const time_source&) = delete;
    time_source& operator=(const time_source&) = delete;
    virtual ~time_source() = default;

    [[nodiscard]] virtual time_point now() const noexcept = 0;
    /// Waits until `due`, or until `stop` is requested. True when the moment came.
    virtual bool wait_until(time_point due, std::stop_token stop) = 0;

    /// The process's own clock.
    [[nodiscard]] static time_source& system() noexcept;
};

/// Asks a time source for the time; cheap to copy and to pass around. The source must outlive it.
class clock {
public:
    clock() noexcept : source_{&time_source::system()} {}
    explicit clock(time_source& source) noexcept : source_{&source} {}

    [[nodiscard]] time_point operator()() const noexcept { return source_->now(); }
    bool wait_until(time_point due, std::stop_token stop) const { return source_->wait_until(due, std::move(stop)); }
    /// Waits for `length`; false when `stop` cut it short.
    bool wait_for(duration length, std::stop_token stop) const {
        return wait_until(later((*this)(), length), std::move(stop));
    }

private:
    time_source* source_;
};

} // namespace ferry
