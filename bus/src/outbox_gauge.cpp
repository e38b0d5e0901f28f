#include "outbox_gauge.hpp"

#include <algorithm>

namespace ferry {

namespace {

constexpr int share_of_the_time = 20; // one part of it for counting

} // namespace

void outbox_gauge::look() {
    const time_point now = now_();
    if (now >= next_ || now < counted_at_) { // or the clock went back
        count();
    }
}

void outbox_gauge::count() {
    const time_point begin = now_();
    try {
        const store_counts found = store_.count();
        const std::scoped_lock lock{mutex_};
        counts_ = found;
    } catch (const std::exception& failure) {
        remember_error(failure.what());
        log_(log_level::warning, std::string{"the rows of the outbox could not be counted: "} + failure.what());
    }
    const time_point end = now_();
    counted_at_ = end;
    next_ = later(end, std::max(interval_, (end - begin) * share_of_the_time));
}

void outbox_gauge::remember_error(const std::string& what) {
    const std::scoped_lock lock{mutex_};
    last_error_ = what;
}

outbox_health outbox_gauge::health() const {
    const std::scoped_lock lock{mutex_};
    return {.pending = counts_.pending, .dead = counts_.dead, .oldest = counts_.oldest, .last_error = last_error_};
}

store_counts outbox_gauge::counts() const {
    const std::scoped_lock lock{mutex_};
    return counts_;
}

} // namespace ferry
