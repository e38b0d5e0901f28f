#include "batch_on_its_way.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

namespace ferry {

batch_on_its_way::batch_on_its_way(std::unique_ptr<outbox_batch> batch, order how,
                                   std::span<const std::int64_t> in_hand)
    : batch_{std::move(batch)}, how_{how}, results_(rows().size()) {
    for (std::size_t i = 0; !in_hand.empty() && i < rows().size(); ++i) {
        if (std::ranges::binary_search(in_hand, rows()[i].number)) {
            results_[i].under_way = true;
            held_.push_back(i);
        }
    }
    if (how_ == order::by_key) {
        make_chains();
    }
}

void batch_on_its_way::make_chains() {
    std::map<std::string_view, std::size_t> found;
    for (std::size_t i = 0; i < rows().size(); ++i) {
        const auto [place, is_new] = found.try_emplace(rows()[i].partition_key, chains_.size());
        if (is_new) {
            chains_.emplace_back();
        }
        chains_[place->second].places.push_back(i);
    }
}

bool batch_on_its_way::send(outbox_carrier& carrier, time_point now, std::function<void()> on_answers) {
    (void)results();
    std::vector<std::size_t> next = next_places();
    if (next.empty()) {
        return false;
    }
    places_ = std::move(next);
    flight_ = std::make_shared<outbox_flight>(places_.size(), carrier);
    flight_->when_landed(std::move(on_answers));
    sent_at_ = now;
    for (std::size_t i = 0; i < places_.size(); ++i) {
        results_[places_[i]].under_way = true;
        flight_->send(i, rows()[places_[i]].content, carrier);
    }
    flight_->all_sent();
    return true;
}

std::vector<std::size_t> batch_on_its_way::next_places() {
    std::vector<std::size_t> next;
    if (how_ == order::by_key) {
        for (chain& each : chains_) {
            pass_over_answered(each);
            if (may_go_on(each)) {
                next.push_back(each.places[each.left++]);
            }
        }
    } else if (!flight_) {
        next.reserve(rows().size());
        for (std::size_t i = 0; i < rows().size(); ++i) {
            if (!results_[i].under_way && !results_[i].answered) {
                next.push_back(i);
            }
        }
    }
    return next;
}

// They were in hand, and the broker has them, or not, by now.
void batch_on_its_way::pass_over_answered(chain& of) const {
    while (of.left < of.places.size() && results_[of.places[of.left]].answered) {
        ++of.left;
    }
}

// One row of each key at a time: when it fails, those behind it must not have left.
bool batch_on_its_way::may_go_on(const chain& of) const {
    if (of.left == of.places.size() || results_[of.places[of.left]].under_way) {
        return false;
    }
    if (of.left == 0) {
        return true;
    }
    const row_result& before = results_[of.places[of.left - 1]];
    return before.answered && (!before.failure || before.unreadable);
}

void batch_on_its_way::await_answers(std::chrono::steady_clock::time_point at_most) const {
    if (flight_) {
        (void)flight_->wait_until(at_most);
    }
}

std::span<const row_result> batch_on_its_way::results() {
    for (std::size_t i = 0; i < places_.size(); ++i) {
        if (flight_->is_answered(i)) {
            results_[places_[i]] = flight_->results()[i];
        }
    }
    return results_;
}

bool batch_on_its_way::hears_of(std::int64_t number, const row_result& result) {
    const auto found = std::ranges::find(held_, number, [this](std::size_t place) { return rows()[place].number; });
    if (found == held_.end()) {
        return false;
    }
    results_[*found] = result;
    return true;
}

void batch_on_its_way::hand_over(rows_in_hand& to) {
    std::vector<outbox_row> late;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < places_.size(); ++i) {
        if (!results_[places_[i]].answered) {
            late.push_back(rows()[places_[i]]);
            places.push_back(i);
        }
    }
    to.take_over(flight_, std::move(late), std::move(places));
}

} // namespace ferry
