#pragma once

#include "batch_on_its_way.hpp"
#include "batch_size.hpp"
#include "outbox_flight.hpp"
#include "outbox_gauge.hpp"
#include "outbox_verdicts.hpp"
#include "rows_in_hand.hpp"
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
    /// The transport is started, and the topology of the bus declared: rows may leave.
    void may_send();
    /// Takes no more, gives what is on its way a few seconds, and ends. Rows that were not answered stay.
    void stop() noexcept;

    /// Rows were committed; with a partition key among them or not.
    void wake(bool keyed);
    /// Rows are about to be committed by a transaction nobody here sees the end of; with a partition key among them,
    /// or a place on the schedule.
    void expect_rows(bool keyed, bool scheduled);
    /// Such a transaction was committed.
    void expected_rows_came();
    /// Another process has committed rows, to the outbox or the schedule.
    void others_have_committed();
    /// Something becomes due at that moment.
    void expect_at(time_point due);

    /// Whether rows may be sent right after their commit; and does so. Such rows are not due before `grace` is over, so
    /// that no relay takes them meanwhile.
    [[nodiscard]] bool has_room() const { return in_hand_.count() < options_.batch && can_send(); }
    void send_now(std::vector<outbox_row> rows) { in_hand_.send(std::move(rows), carrier_); }
    static constexpr duration grace = std::chrono::seconds{5};

    /// As it was seen last; asks nobody.
    [[nodiscard]] outbox_health health() const { return gauge_.health(); }
    [[nodiscard]] store_counts counts() const { return gauge_.counts(); }

private:
    using order = batch_on_its_way::order;

    void run();
    void relay_until_stopped();
    void work();
    void look();
    void look_ahead();
    void rest();
    void wait_for_broker();
    void be_attentive(duration next);
    void be_attentive_again();
    void sleep_out(time_point end);
    [[nodiscard]] bool can_send() const;
    [[nodiscard]] bool something_is_due(time_point now);
    [[nodiscard]] time_point next_look();
    void promote();

    [[nodiscard]] bool may_take_unordered() const;
    [[nodiscard]] bool may_take_a_shard() const;
    void send_unordered();
    [[nodiscard]] bool take_next();
    void send_ordered();
    void take_next_shard();
    void send(std::unique_ptr<outbox_batch> taken, order how);
    [[nodiscard]] std::vector<std::int64_t> not_to_be_sent_again();
    [[nodiscard]] bool send_next(batch_on_its_way& batch);

    void land_answered();
    [[nodiscard]] bool has_waited_enough(const batch_on_its_way& batch) const;
    void land(batch_on_its_way landed);
    void let_go_of(batch_on_its_way& batch);
    void let_go_of_ordered();
    void settle(const outbox_row& row, const row_outcome& outcome);
    [[nodiscard]] row_outcome verdict_in_hand(const outbox_row& row, const row_result& result) const;
    void finish_in_hand();
    void land_at_the_end();

    ferry::store& store_;
    outbox_carrier carrier_;
    const relay_options options_;
    const clock now_;
    const log_function& log_;
    outbox_gauge gauge_;
    outbox_verdicts verdicts_;
    sleeper sleeper_;
    rows_in_hand in_hand_;
    std::atomic<bool> stopping_{false};
    std::atomic<bool> sends_{false};
    std::jthread thread_;

    // Told by others.
    std::atomic<bool> rows_{true};
    std::atomic<bool> keyed_{true};
    std::atomic<bool> attentive_{false};
    std::atomic<bool> others_{false};
    // Ever, in transactions of others: without that there is no shard to look at, and nothing to promote.
    std::atomic<bool> writes_keys_{false};
    std::atomic<bool> writes_schedules_{false};
    std::mutex mutex_;
    time_point due_ = time_point::max();

    // The thread's own.
    std::deque<batch_on_its_way> batches_;
    bool in_doubt_ = false;  // the database has failed while they were on their way
    std::deque<int> shards_; // that have rows to be sent
    batch_size size_;
    bool more_ = false;       // rows are there, as far as it knows
    bool look_ahead_ = false; // and see what waits, when all is sent
    time_point next_poll_{};
    time_point next_promotion_{};
    duration attention_{};
    time_point next_attention_ = time_point::max();
    std::int64_t cursor_ = 0;
    time_point cursor_since_{};
    int failures_ = 0; // in a row
};

} // namespace ferry
