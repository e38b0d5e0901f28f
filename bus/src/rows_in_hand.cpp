#include "rows_in_hand.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace ferry {

void rows_in_hand::send(std::vector<outbox_row> rows, outbox_carrier& carrier) {
    std::vector<packed_envelope> contents;
    contents.reserve(rows.size());
    for (const outbox_row& each : rows) {
        contents.push_back(each.content);
    }
    std::vector<std::size_t> places(rows.size());
    std::iota(places.begin(), places.end(), std::size_t{0});
    const auto flight = std::make_shared<outbox_flight>(rows.size(), carrier);
    flight->when_landed([this] { on_answers_(); });
    take_over(flight, std::move(rows), std::move(places));
    for (std::size_t i = 0; i < contents.size(); ++i) {
        flight->send(i, contents[i], carrier);
    }
    flight->all_sent();
}

void rows_in_hand::take_over(std::shared_ptr<outbox_flight> flight, std::vector<outbox_row> rows,
                             std::vector<std::size_t> places) {
    if (rows.empty()) {
        return;
    }
    count_ += rows.size();
    const std::scoped_lock lock{mutex_};
    groups_.push_back({.flight = std::move(flight), .rows = std::move(rows), .places = std::move(places)});
}

void rows_in_hand::owe(const outbox_row& row, const row_result& result) {
    ++count_;
    answered_.push_back({.row = row, .result = result});
}

std::span<const rows_in_hand::answered_row> rows_in_hand::answered() {
    if (count_ > answered_.size()) {
        const std::scoped_lock lock{mutex_};
        groups_.remove_if([this](group& each) {
            collect(each);
            return each.rows.empty();
        });
    }
    return answered_;
}

// Those that are not answered yet stay, in their order.
void rows_in_hand::collect(group& from) {
    std::size_t left = 0;
    for (std::size_t i = 0; i < from.rows.size(); ++i) {
        if (from.flight->is_answered(from.places[i])) {
            answered_.push_back({.row = std::move(from.rows[i]), .result = from.flight->results()[from.places[i]]});
        } else if (left++ != i) {
            from.rows[left - 1] = std::move(from.rows[i]);
            from.places[left - 1] = from.places[i];
        }
    }
    from.rows.resize(left);
    from.places.resize(left);
}

void rows_in_hand::forget_answered() noexcept {
    count_ -= answered_.size();
    answered_.clear();
}

std::vector<std::int64_t> rows_in_hand::numbers() const {
    std::vector<std::int64_t> found;
    for (const answered_row& each : answered_) {
        found.push_back(each.row.number);
    }
    {
        const std::scoped_lock lock{mutex_};
        for (const group& each : groups_) {
            std::ranges::transform(each.rows, std::back_inserter(found), &outbox_row::number);
        }
    }
    std::ranges::sort(found);
    return found;
}

std::vector<std::shared_ptr<outbox_flight>> rows_in_hand::flights() const {
    const std::scoped_lock lock{mutex_};
    std::vector<std::shared_ptr<outbox_flight>> found;
    std::ranges::transform(groups_, std::back_inserter(found), &group::flight);
    return found;
}

void rows_in_hand::await_answers(std::chrono::steady_clock::time_point at_most) {
    for (const std::shared_ptr<outbox_flight>& each : flights()) {
        (void)each->wait_until(at_most);
    }
}

} // namespace ferry
