#include <ferry/delay_schedule.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

namespace ferry {

using namespace std::chrono_literals;

namespace {

std::string_view name_of(backoff growth) {
    static constexpr std::array<std::string_view, 3> names{"constant", "linear", "exponential"};
    return names[static_cast<std::size_t>(growth)];
}

double factor(backoff growth, int number) {
    switch (growth) {
    case backoff::constant:
        return 1;
    case backoff::linear:
        return number;
    case backoff::exponential:
        return std::exp2(number - 1);
    }
    std::unreachable();
}

/// The same length as a duration, or the longest there is.
duration saturated(double nanoseconds) {
    constexpr auto longest = static_cast<double>(duration::max().count());
    return nanoseconds >= longest ? duration::max() : duration{static_cast<duration::rep>(nanoseconds)};
}

} // namespace

delay_schedule delay_schedule::exactly(std::vector<duration> intervals) {
    const int attempts = static_cast<int>(std::min<std::size_t>(intervals.size(), std::numeric_limits<int>::max()));
    return {.attempts = attempts,
            .base_delay = 0ms,
            .growth = backoff::constant,
            .jitter = 0,
            .max_delay = duration::max(),
            .intervals = std::move(intervals)};
}

duration delay_schedule::delay(int number, double chance) const noexcept {
    const double plain = intervals.empty()
                             ? static_cast<double>(base_delay.count()) * factor(growth, number)
                             : static_cast<double>(intervals[static_cast<std::size_t>(number - 1)].count());
    return std::min(saturated(plain * (1 + (jitter * chance))), max_delay); // the cap holds after jitter
}

duration delay_schedule::longest() const noexcept {
    if (!intervals.empty()) {
        return std::min(saturated(static_cast<double>(std::ranges::max(intervals).count()) * (1 + jitter)), max_delay);
    }
    return attempts < 1 ? duration::zero() : delay(attempts, 1); // waits that grow end at the longest
}

void delay_schedule::validate(const std::string& what, std::vector<std::string>& problems) const {
    if (attempts < 1) {
        problems.push_back(what + ": " + std::to_string(attempts) +
                           " attempts are none; ask for 1 or more, or leave it away");
    }
    if (base_delay < 0s || std::ranges::any_of(intervals, [](duration each) { return each < 0s; })) {
        problems.push_back(what + ": a delay is negative; set it to zero or more");
    }
    if (max_delay < base_delay) {
        problems.push_back(what + ": the longest delay is below the base delay; raise max_delay or lower base_delay");
    }
    if (const bool is_part = jitter >= 0 && jitter <= 1; !is_part) { // what is no number is none, either
        problems.push_back(what + ": the jitter is a part of the delay; set it between 0 and 1");
    }
    if (!intervals.empty() && intervals.size() != static_cast<std::size_t>(std::max(0, attempts))) {
        problems.push_back(what + ": there must be as many intervals as attempts");
    }
}

std::string delay_schedule::text() const {
    if (intervals.empty()) {
        return std::to_string(attempts) + " x " + to_text(base_delay) + " " + std::string{name_of(growth)};
    }
    std::string all;
    for (const duration each : intervals) {
        all += (all.empty() ? "" : ", ") + to_text(each);
    }
    return all;
}

delay_schedule default_retries() { return {}; }

delay_schedule default_redeliveries() {
    delay_schedule schedule = delay_schedule::exactly({5min, 15min, 30min});
    schedule.jitter = 0.25;
    schedule.max_delay = 1h;
    return schedule;
}

std::string to_text(duration length) {
    struct unit {
        duration size;
        std::string_view name;
    };
    static constexpr std::array units{unit{1h, " h"},   unit{1min, " min"}, unit{1s, " s"},
                                      unit{1ms, " ms"}, unit{1us, " us"},   unit{1ns, " ns"}};
    const auto fits = [length](const unit& each) { return length >= each.size && length % each.size == 0ns; };
    const auto largest = std::ranges::find_if(units, fits);
    const unit& chosen = largest == units.end() ? units[2] : *largest; // nothing at all is 0 s
    return std::to_string(length / chosen.size) + std::string{chosen.name};
}

} // namespace ferry
