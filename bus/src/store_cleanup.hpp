#pragma once

#include "sleeper.hpp"

#include <ferry/log.hpp>
#include <ferry/persistence.hpp>
#include <ferry/store.hpp>

#include <atomic>
#include <thread>

namespace ferry {

/// The background worker that deletes what nobody will ask for any more, a piece at a time so that nobody waits for it.
/// One thread of its own.
class store_cleanup {
public:
    store_cleanup(ferry::store& store, const persistence_options& options, clock now, const log_function& log)
        : store_{store}, options_{options}, now_{now}, log_{log}, sleeper_{now} {}
    store_cleanup(const store_cleanup&) = delete;
    store_cleanup& operator=(const store_cleanup&) = delete;
    ~store_cleanup() { stop(); }

    void start();
    void stop() noexcept;

private:
    void run(time_point next);
    void clean();

    ferry::store& store_;
    const persistence_options& options_;
    const clock now_;
    const log_function& log_;
    sleeper sleeper_;
    std::atomic<bool> stopping_{false};
    std::jthread thread_;
};

} // namespace ferry
