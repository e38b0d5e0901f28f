#include "store_cleanup.hpp"

#include <algorithm>
#include <chrono>
#include <string>

namespace ferry {

void store_cleanup::start() {
    // Soon, or a service that is started again and again would never clean up. Counted from here: the thread may come
    // to run much later.
    const duration soon = std::min<duration>(options_.claims.cleanup_interval, std::chrono::minutes{1});
    thread_ = std::jthread{[this, first = later(now_(), soon)] { run(first); }};
}

void store_cleanup::stop() noexcept {
    stopping_ = true;
    sleeper_.wake();
    if (thread_.joinable()) {
        thread_.join();
    }
}

void store_cleanup::run(time_point next) {
    while (!stopping_) {
        sleeper_.sleep_until(next);
        if (stopping_ || now_() < next) {
            continue;
        }
        next = later(now_(), options_.claims.cleanup_interval);
        try {
            clean();
        } catch (const std::exception& failure) {
            log_(log_level::warning,
                 std::string{"old rows could not be deleted, which is tried again later: "} + failure.what());
        }
    }
}

void store_cleanup::clean() {
    const std::size_t chunk = options_.claims.cleanup_chunk;
    const time_point now = now_();
    while (!stopping_ && store_.forget_claims(now - options_.claims.retention, chunk) == chunk) {}
    while (options_.forget_dead_after && !stopping_ &&
           store_.forget_dead(now - *options_.forget_dead_after, chunk) == chunk) {}
}

} // namespace ferry
