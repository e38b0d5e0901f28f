#include <ferry/dispatch_context.hpp>

#include <utility>

namespace ferry {

void collected_messages::collect(envelope& message) {
    if (size_ == messages_.size()) {
        messages_.emplace_back();
    }
    std::swap(messages_[size_++], message);
}

void dispatch_context::clear() noexcept {
    envelope.clear();
    message = {};
    features_.clear();
    collector = nullptr;
    on_outcome = nullptr;
}

} // namespace ferry
