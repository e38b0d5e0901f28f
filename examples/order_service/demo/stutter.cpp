#include "stutter.hpp"

namespace shop {

namespace {

/// Decided by the id, whose last bytes are as good as chance.
bool is_said_twice(const ferry::envelope& message) {
    return message.kind == ferry::message_kind::publish && !message.tenant.empty() &&
           std::hash<ferry::uuid>{}(message.message_id) % 100 == 0;
}

} // namespace

void stutter::send(const ferry::envelope& message, ferry::send_callback on_outcome) {
    if (is_said_twice(message)) {
        inner_->send(message, [](const ferry::send_outcome&) {}); // the second one counts
    }
    inner_->send(message, std::move(on_outcome));
}

} // namespace shop
