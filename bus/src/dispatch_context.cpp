#include <ferry/dispatch_context.hpp>

#include <algorithm>
#include <utility>

namespace ferry {

void envelope_list::take(envelope& message) {
    if (size_ == messages_.size()) {
        messages_.emplace_back();
    }
    std::swap(messages_[size_++], message);
}

bool envelope_list::remove(const uuid& message_id) {
    const auto live = all();
    const auto found = std::ranges::find(live, message_id, &envelope::message_id);
    if (found == live.end()) {
        return false;
    }
    std::rotate(found, found + 1, live.end());
    --size_;
    return true;
}

void dispatch_context::clear() noexcept {
    envelope.clear();
    message = {};
    features_.clear();
    collector = nullptr;
    scheduled = false;
    on_outcome = nullptr;
}

} // namespace ferry
