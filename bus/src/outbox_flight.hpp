#pragma once

#include <ferry/counters.hpp>
#include <ferry/observer.hpp>
#include <ferry/persistence.hpp>
#include <ferry/store.hpp>
#include <ferry/transport.hpp>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace ferry {

/// What turns a row into a message on its way.
struct outbox_carrier {
    ferry::transport& transport;
    std::function<void(const envelope&)> declare; ///< makes sure its destination exists
    bus_counters& counters;
    observer* watching = nullptr;
};

/// What became of a row at the broker: nothing wrong, or why it was not sent.
struct row_result {
    std::exception_ptr failure;
    bool unreadable = false; ///< no attempt will ever succeed
    bool away = false;       ///< it failed while there was no broker, so the row is not to blame
    bool never_left = false; ///< it failed since others had to leave first, so the row is not to blame either
    bool under_way = false;  ///< it was sent, and nobody knows yet
    bool answered = false;
};

/// Rows of the outbox on their way to the broker together. Shared with the transport's callbacks, of which one may come
/// when nobody waits any more.
class outbox_flight : public std::enable_shared_from_this<outbox_flight> {
public:
    /// Called by whoever answers last.
    using landed_callback = std::move_only_function<void()>;

    outbox_flight(std::size_t rows, const outbox_carrier& carrier)
        : results_(rows), observed_{carrier.watching == nullptr ? nullptr : carrier.watching->relaying(rows)} {}
    /// Before anything is sent.
    void when_landed(landed_callback on_landed) { on_landed_ = std::move(on_landed); }

    /// Hands a row to the transport; `index` is its place in the results. Does not throw.
    void send(std::size_t index, const packed_envelope& content, outbox_carrier& carrier);
    /// Nothing more is sent: the flight has landed when all that was sent is answered.
    void all_sent();
    [[nodiscard]] bool has_landed() const noexcept { return open_ == 0; }
    /// Waits until it has landed; false when the time was up first.
    bool wait_until(std::chrono::steady_clock::time_point at_most);

    /// Whether the result in that place is there, also before all are.
    [[nodiscard]] bool is_answered(std::size_t index) noexcept {
        return std::atomic_ref{results_[index].answered}.load(std::memory_order_acquire);
    }
    /// For whoever knows that it has landed, or which of them are there.
    [[nodiscard]] std::span<const row_result> results() const noexcept { return results_; }

private:
    void answered(std::size_t index, row_result result);
    void one_less();
    void end_observation() noexcept;

    std::vector<row_result> results_;       // each is written by whoever answers for it, and read when that is done
    std::unique_ptr<observation> observed_; // until it has landed
    landed_callback on_landed_;
    std::mutex mutex_;
    std::condition_variable all_answered_;
    std::atomic<std::size_t> open_{1}; // one for whoever sends
    envelope scratch_;
};

} // namespace ferry
