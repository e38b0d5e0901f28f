#pragma once

#include "batch_size.hpp"
#include "outbox_flight.hpp"
#include "sleeper.hpp"

#include <ferry/health.hpp>
#include <ferry/log.hpp>
#include <ferry/persistence.hpp>
#include <ferry/store.hpp>
#include <ferry/time.hpp>

#include <atomic>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace ferry {

/// The background worker between the outbox and the broker. It locks rows in batches, sends them, waits for the
/// broker's confirms, and deletes exactly what was confirmed. Commits of this process wake it; rows of others it finds
/// by looking now and then. While the broker is away it waits, and no row is worse off for it.
///
/// One thread of its own; the functions are for any other.
class outbox_relay {
public:
    outbox_relay(ferry::store& store, outbox_carrier carrier, const relay_options& options, clock now,
                 const log_function& log);
    outbox_relay(const outbox_relay&) = delete;
    outbox_relay& operator=(const outbox_relay&) = delete;
    ~outbox_relay() { stop(); }

    void start();
    /// Takes no more, gives what is on its way a few seconds, and ends. Rows that were not answered stay.
    void stop() noexcept;

    /// Rows were committed; with a partition key among them or not.
    void wake(bool keyed);
    /// Rows are about to be committed by a transaction nobody here sees the end of; with a partition key among them or
    /// not.
    void expect_rows(bool keyed);
    /// Such a transaction was committed.
    void expected_rows_came() { wake(writes_keys_); }
    /// Something becomes due at that moment.
    void expect_at(time_point due);

    /// Whether rows may be sent right after their commit; and does so. Such rows are not due before `grace` is over, so
    /// that no relay takes them meanwhile.
    [[nodiscard]] bool has_room() const { return in_hand_ < options_.batch && is_connected(); }
    void send_now(std::vector<outbox_row> rows);
    static constexpr duration grace = std::chrono::seconds{5};

    /// As it was seen last; asks nobody.
    [[nodiscard]] outbox_health health() const;
    [[nodiscard]] store_counts counts() const;

private:
    struct flight_of_batch {
        std::unique_ptr<outbox_batch> batch;
        std::shared_ptr<outbox_flight> flight;
    };

    void run();
    void relay_until_stopped();
    void work();
    void rest();
    void be_attentive(duration next);
    [[nodiscard]] bool is_connected() const;
    void look();
    void look_ahead();
    void promote();
    void send_unordered();
    [[nodiscard]] bool take_next();
    [[nodiscard]] bool has_landed() const;
    void land_answered();
    void land_all();
    void land(const flight_of_batch& landed);
    void send_shard(int shard);
    void finish_in_hand();
    void await(outbox_flight& flight);
    [[nodiscard]] std::vector<row_outcome> outcomes_of(std::span<const outbox_row> rows,
                                                       std::span<const row_result> results);
    [[nodiscard]] row_outcome outcome_of(const outbox_row& row, const row_result& result);
    void tell(const outbox_row& row, const row_outcome& outcome);
    void tell_of_dead(const dead_message& dead);
    void finish(outbox_batch& batch, const std::vector<row_outcome>& outcomes);
    void remember_counts();
    void remember_error(const std::string& what);

    ferry::store& store_;
    outbox_carrier carrier_;
    const relay_options options_;
    const clock now_;
    const log_function& log_;
    sleeper sleeper_;
    std::atomic<bool> stopping_{false};
    std::jthread thread_;

    // Told by others.
    std::atomic<bool> rows_{true};
    std::atomic<bool> keyed_{true};
    std::atomic<bool> attentive_{false};
    std::atomic<bool> writes_keys_{false}; // ever, in transactions of others: without that there is no shard to look at
    std::atomic<std::size_t> in_hand_{0};
    mutable std::mutex mutex_;
    time_point due_ = time_point::max();
    std::vector<row_outcome> sent_from_hand_;
    store_counts counts_;
    std::string last_error_;

    // The thread's own.
    std::deque<flight_of_batch> flights_;
    batch_size size_;
    bool more_ = false;       // rows are there, as far as it knows
    bool look_ahead_ = false; // and see what waits, when all is sent
    time_point next_poll_{};
    duration attention_{};
    time_point next_attention_ = time_point::max();
    std::int64_t cursor_ = 0;
    time_point cursor_since_{};
    int failures_ = 0; // in a row
};

} // namespace ferry
