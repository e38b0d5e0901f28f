#pragma once

#include "outbox_flight.hpp"
#include "rows_in_hand.hpp"

#include <ferry/store.hpp>
#include <ferry/time.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace ferry {

/// A batch of the outbox that is locked and sent: its rows leave together, or, where they have partition keys, one
/// after the other for each key. A row that is in hand already is not sent once more.
class batch_on_its_way {
public:
    enum class order : unsigned char { none, by_key };

    /// `in_hand` are numbers, in order.
    batch_on_its_way(std::unique_ptr<outbox_batch> batch, order how, std::span<const std::int64_t> in_hand);

    /// Sends what may leave next, when what left before was answered. False when there is nothing more.
    [[nodiscard]] bool send(outbox_carrier& carrier, time_point now, std::function<void()> on_answers);
    [[nodiscard]] bool has_landed() const noexcept { return !flight_ || flight_->has_landed(); }
    void await_answers(std::chrono::steady_clock::time_point at_most) const;

    [[nodiscard]] bool is_ordered() const noexcept { return how_ == order::by_key; }
    /// When its last row left.
    [[nodiscard]] time_point sent_at() const noexcept { return sent_at_; }
    [[nodiscard]] std::span<const outbox_row> rows() const noexcept { return batch_->rows(); }
    /// What is known of each row by now.
    [[nodiscard]] std::span<const row_result> results();
    /// Something became of a row that is in hand. False when it is none of this batch.
    [[nodiscard]] bool hears_of(std::int64_t number, const row_result& result);
    /// From here on the rows that are not answered are in those hands.
    void hand_over(rows_in_hand& to);
    void finish(std::span<const row_outcome> outcomes) { batch_->finish(outcomes); }

private:
    /// The places of the rows of one partition key, in order, and how many of them have left.
    struct chain {
        std::vector<std::size_t> places;
        std::size_t left = 0;
    };
    void make_chains();
    [[nodiscard]] std::vector<std::size_t> next_places();
    void pass_over_answered(chain& of) const;
    [[nodiscard]] bool may_go_on(const chain& of) const;

    std::unique_ptr<outbox_batch> batch_;
    order how_;
    std::vector<row_result> results_;
    std::vector<std::size_t> held_; // places of rows that were in hand before
    std::vector<chain> chains_;
    std::shared_ptr<outbox_flight> flight_; // what left last
    std::vector<std::size_t> places_;       // of its rows
    time_point sent_at_{};
};

} // namespace ferry
