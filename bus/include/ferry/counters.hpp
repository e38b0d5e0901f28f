#pragma once

#include <atomic>
#include <cstdint>

namespace ferry {

/// How often things happened since the bus was built.
struct bus_counts {
    std::uint64_t handled = 0;
    std::uint64_t skipped = 0;
    std::uint64_t dead_lettered = 0;
    std::uint64_t expired = 0;
    std::uint64_t discarded = 0;
    std::uint64_t rejected = 0;        ///< left to the broker's own dead-lettering
    std::uint64_t redelivered = 0;     ///< put back for later by a policy
    std::uint64_t retries = 0;         ///< further attempts within a delivery
    std::uint64_t breaks = 0;          ///< how often a circuit breaker opened
    std::uint64_t returned = 0;        ///< deliveries that went back to their queue
    std::uint64_t unrouted_events = 0; ///< published while nobody subscribed
    std::uint64_t late_replies = 0;    ///< replies nobody waited for any more
    std::uint64_t duplicates = 0;      ///< messages a consumer had handled before
    std::uint64_t outbox_sent = 0;     ///< rows of the outbox the broker has confirmed
    std::uint64_t outbox_failed = 0;   ///< attempts to send one that failed
};

/// The same while they happen, counted from any thread.
struct bus_counters {
    std::atomic<std::uint64_t> handled{0};
    std::atomic<std::uint64_t> skipped{0};
    std::atomic<std::uint64_t> dead_lettered{0};
    std::atomic<std::uint64_t> expired{0};
    std::atomic<std::uint64_t> discarded{0};
    std::atomic<std::uint64_t> rejected{0};
    std::atomic<std::uint64_t> redelivered{0};
    std::atomic<std::uint64_t> retries{0};
    std::atomic<std::uint64_t> breaks{0};
    std::atomic<std::uint64_t> returned{0};
    std::atomic<std::uint64_t> unrouted_events{0};
    std::atomic<std::uint64_t> late_replies{0};
    std::atomic<std::uint64_t> duplicates{0};
    std::atomic<std::uint64_t> outbox_sent{0};
    std::atomic<std::uint64_t> outbox_failed{0};

    [[nodiscard]] bus_counts read() const noexcept {
        return {handled, skipped,  dead_lettered,   expired,      discarded,  rejected,    redelivered,  retries,
                breaks,  returned, unrouted_events, late_replies, duplicates, outbox_sent, outbox_failed};
    }
};

} // namespace ferry
