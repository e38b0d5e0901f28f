#include "confirm_window.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

namespace ferry::amqp {

std::size_t place_of(std::string_view exchange, std::string_view routing_key) noexcept {
    const std::hash<std::string_view> hash;
    return 31 * hash(exchange) + hash(routing_key);
}

std::size_t hash_of(std::string_view exchange) noexcept { return std::hash<std::string_view>{}(exchange); }

void take_late(std::deque<outgoing>& waiting, std::chrono::steady_clock::time_point now, std::vector<outgoing>& late) {
    const auto is_late = [now](const outgoing& each) { return each.deadline <= now; };
    if (std::ranges::none_of(waiting, is_late)) {
        return;
    }
    for (outgoing& each : std::exchange(waiting, {})) {
        (is_late(each) ? late.emplace_back() : waiting.emplace_back()) = std::move(each);
    }
}

void confirm_window::sent(outgoing message) {
    if (entries_.size() >= 2 * size_) {
        if (entry& oldest = entries_.front(); oldest.open) {
            old_.emplace(first_, std::move(oldest.message));
        }
        entries_.pop_front();
        ++first_;
    }
    entries_.push_back({std::move(message)});
    ++open_;
}

void confirm_window::answered(std::uint64_t number, bool multiple, std::vector<outgoing>& answered) {
    take_old(multiple ? old_.begin() : old_.lower_bound(number), old_.upper_bound(number), answered);
    const std::uint64_t from = multiple ? first_ : std::max(number, first_);
    for (std::uint64_t each = from; each <= number && each - first_ < entries_.size(); ++each) {
        take(entries_[each - first_], answered);
    }
    forget_answered();
}

outgoing* confirm_window::find(const uuid& message_id, std::size_t place) noexcept {
    const auto is_it = [&](const outgoing& each) {
        return !each.returned && each.message_id == message_id && each.place == place;
    };
    for (auto& [number, each] : old_) {
        if (is_it(each)) {
            return &each;
        }
    }
    const auto found =
        std::ranges::find_if(entries_, [&](const entry& each) { return each.open && is_it(each.message); });
    return found == entries_.end() ? nullptr : &found->message;
}

void confirm_window::returned(const uuid& message_id, std::size_t place) noexcept {
    if (outgoing* const found = find(message_id, place)) {
        found->returned = true;
    }
}

void confirm_window::take_late(std::chrono::steady_clock::time_point now, std::vector<outgoing>& late) {
    for (auto each = old_.begin(); each != old_.end();) {
        const auto next = std::next(each);
        if (each->second.deadline <= now) {
            take_old(each, next, late);
        }
        each = next;
    }
    for (entry& each : entries_) {
        if (each.message.deadline <= now) { // one that was prepared for its delay comes later than younger ones
            take(each, late);
        }
    }
    forget_answered();
}

void confirm_window::take_all(std::vector<outgoing>& all) {
    take_old(old_.begin(), old_.end(), all);
    for (entry& each : entries_) {
        take(each, all);
    }
    entries_.clear();
    first_ = 1;
}

void confirm_window::take(entry& which, std::vector<outgoing>& out) {
    if (std::exchange(which.open, false)) {
        --open_;
        out.push_back(std::move(which.message));
    }
}

void confirm_window::take_old(old_entries::iterator from, old_entries::iterator to, std::vector<outgoing>& out) {
    for (auto each = from; each != to; each = old_.erase(each)) {
        --open_;
        out.push_back(std::move(each->second));
    }
}

void confirm_window::forget_answered() noexcept {
    while (!entries_.empty() && !entries_.front().open) {
        entries_.pop_front();
        ++first_;
    }
}

} // namespace ferry::amqp
