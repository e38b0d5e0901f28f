#pragma once

#include <ferry/health.hpp>
#include <ferry/log.hpp>
#include <ferry/store.hpp>
#include <ferry/time.hpp>

#include <mutex>
#include <string>

namespace ferry {

/// What waits in a store, as it was counted last, and what went wrong last. Counting reads all that waits: it is done
/// now and then, takes a small part of the time at most, and nothing else stops when it fails.
class outbox_gauge {
public:
    outbox_gauge(ferry::store& store, duration interval, clock now, const log_function& log)
        : store_{store}, interval_{interval}, now_{now}, log_{log} {}

    /// Counts, when that has not been done for a while. For one thread, like count().
    void look();
    void count();

    // From any thread.
    void remember_error(const std::string& what);
    [[nodiscard]] outbox_health health() const;
    [[nodiscard]] store_counts counts() const;

private:
    ferry::store& store_;
    const duration interval_;
    const clock now_;
    const log_function& log_;
    time_point counted_at_{};
    time_point next_{};
    mutable std::mutex mutex_;
    store_counts counts_;
    std::string last_error_;
};

} // namespace ferry
