#include <ferry/dispatch_context.hpp>

#include <algorithm>
#include <utility>

namespace ferry {

void envelope_list::take(envelope& message) {
    if (size_ == messages_.size()) {
        messages_.emplace_back();
    }
    std::swap(messages_[size_++], message);
    message.clear(); // what it got may be a message that has left
}

bool envelope_list::remove(const uuid& message_id) {
    const auto live = all();
    const auto found = std::ranges::find(live, message_id, &envelope::message_id);
    if (found == live.end()) {
        return false;
    }
    std::rotate(found, found + 1, live.end());
    messages_[--size_].body.clear_above(most_kept_body);
    return true;
}

void envelope_list::keep_first(std::size_t count) noexcept {
    const std::size_t kept = std::min(count, size_); // some may have been removed since they were counted
    for (envelope& each : all().subspan(kept)) {
        each.body.clear_above(most_kept_body);
    }
    size_ = kept;
    if (const std::size_t most = std::max(size_, most_kept_envelopes); messages_.size() > most) {
        messages_.resize(most);
        messages_.shrink_to_fit();
    }
}

void dispatch_context::clear() noexcept {
    envelope.clear();
    envelope.body.clear_above(most_kept_body);
    message = {};
    features_.clear();
    collector = nullptr;
    for_callers_transaction = false;
    scheduled = false;
    immediate = false;
    on_outcome = nullptr;
}

} // namespace ferry
