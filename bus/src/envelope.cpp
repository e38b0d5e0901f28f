#include <ferry/envelope.hpp>

#include <algorithm>
#include <array>

namespace ferry {

namespace {

constexpr std::array<std::string_view, 5> kind_names{"publish", "send", "request", "reply", "fault"};

} // namespace

std::string_view to_string(message_kind kind) noexcept { return kind_names[static_cast<std::size_t>(kind)]; }

std::optional<message_kind> parse_message_kind(std::string_view text) noexcept {
    const auto found = std::ranges::find(kind_names, text);
    if (found == kind_names.end()) {
        return std::nullopt;
    }
    return static_cast<message_kind>(found - kind_names.begin());
}

void envelope::clear() noexcept {
    kind = message_kind::publish;
    message_id = correlation_id = conversation_id = causation_id = uuid{};
    message_type.clear();
    enclosed_types.clear();
    content_type.clear();
    for (address* place : {&source, &destination, &response, &fault}) {
        place->clear();
    }
    sent_at = deliver_by = scheduled_at = std::nullopt;
    delivery_count = 0;
    partition_key.clear();
    routing_key.clear();
    tenant.clear();
    headers.clear();
    body.clear();
}

} // namespace ferry
