#include "backlog.hpp"

#include <algorithm>
#include <utility>

namespace ferry::memory {

namespace {

constexpr std::size_t large = std::size_t{16} << 20;

bool before(std::uint32_t a, std::uint32_t b) noexcept { return static_cast<std::int32_t>(a - b) < 0; }

} // namespace

void backlog::append(packed_envelope content) {
    bytes_ += content.bytes().size();
    most_bytes_ = std::max(most_bytes_, bytes_);
    messages_.push_back({std::move(content), next_order_, 0});
    ++next_order_;
}

void backlog::put_back(queued_message message) {
    const auto place = std::ranges::lower_bound(messages_, message.order, before, &queued_message::order);
    bytes_ += message.content.bytes().size();
    messages_.insert(place, std::move(message));
}

queued_message backlog::take_first() {
    queued_message first = std::move(messages_.front());
    messages_.pop_front();
    bytes_ -= first.content.bytes().size();
    return first;
}

void backlog::clear() {
    messages_ = std::deque<queued_message>{};
    bytes_ = 0;
}

bool backlog::has_shrunk() noexcept {
    if (most_bytes_ < large || bytes_ > most_bytes_ / 8) {
        return false;
    }
    most_bytes_ = bytes_;
    return true;
}

} // namespace ferry::memory
