#pragma once

#include <ferry/json/json_format.hpp>

#include <chrono>
#include <concepts>
#include <limits>
#include <utility>

namespace ferry {

/// A duration whose ticks are whole numbers of nanoseconds or whole numbers of seconds.
template <typename Duration>
concept json_duration = std::integral<typename Duration::rep> && 1'000'000'000 % Duration::period::den == 0;

template <typename Rep> [[nodiscard]] Rep json_ticks(const json_reader& in, std::int64_t count) {
    if (!std::in_range<Rep>(count)) {
        in.fail("this is beyond what the field can hold");
    }
    return static_cast<Rep>(count);
}

template <typename Rep, typename Period>
    requires json_duration<std::chrono::duration<Rep, Period>>
struct json_format<std::chrono::duration<Rep, Period>> {
    using duration = std::chrono::duration<Rep, Period>;

    static void write(json_writer& out, duration value) { out.write_duration(value.count(), Period::num, Period::den); }
    static void read(json_reader& in, duration& value) {
        value = duration{json_ticks<Rep>(in, in.read_duration(Period::num, Period::den))};
    }
};

template <typename Duration>
    requires json_duration<Duration>
struct json_format<std::chrono::sys_time<Duration>> {
    using period = Duration::period;

    static void write(json_writer& out, std::chrono::sys_time<Duration> value) {
        out.write_time(value.time_since_epoch().count(), period::num, period::den);
    }
    static void read(json_reader& in, std::chrono::sys_time<Duration>& value) {
        const std::int64_t count = in.read_time(period::num, period::den);
        value = std::chrono::sys_time<Duration>{Duration{json_ticks<typename Duration::rep>(in, count)}};
    }
};

} // namespace ferry
