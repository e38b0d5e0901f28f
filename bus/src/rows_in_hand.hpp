#pragma once

#include "outbox_flight.hpp"

#include <ferry/store.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace ferry {

/// Rows of the outbox that are on their way and locked by nobody: they were sent right after their commit, their batch
/// did not wait for an answer that is slow, or the database went away under it. What becomes of them is written by
/// their numbers.
class rows_in_hand {
public:
    struct answered_row {
        outbox_row row;
        row_result result;
    };

    /// `on_answers` is called when there may be answers, on any thread.
    explicit rows_in_hand(std::function<void()> on_answers) : on_answers_{std::move(on_answers)} {}

    /// From any thread.
    [[nodiscard]] std::size_t count() const noexcept { return count_; }
    void send(std::vector<outbox_row> rows, outbox_carrier& carrier);

    // The rest is for one thread.

    /// Rows that are part of a flight, each with its place in it.
    void take_over(std::shared_ptr<outbox_flight> flight, std::vector<outbox_row> rows,
                   std::vector<std::size_t> places);
    /// A row that was answered, which could not be written.
    void owe(const outbox_row& row, const row_result& result);

    /// All that was answered and not forgotten yet.
    [[nodiscard]] std::span<const answered_row> answered();
    /// It was written.
    void forget_answered() noexcept;
    /// In order.
    [[nodiscard]] std::vector<std::int64_t> numbers() const;
    /// Returns when all is answered, or when it is that late.
    void await_answers(std::chrono::steady_clock::time_point at_most);

private:
    struct group {
        std::shared_ptr<outbox_flight> flight;
        std::vector<outbox_row> rows;
        std::vector<std::size_t> places;
    };
    [[nodiscard]] std::vector<std::shared_ptr<outbox_flight>> flights() const;
    void collect(group& from);

    std::function<void()> on_answers_;
    std::atomic<std::size_t> count_{0};
    mutable std::mutex mutex_;
    std::list<group> groups_;
    std::vector<answered_row> answered_; // the one thread's
};

} // namespace ferry
