#pragma once

#include <ferry/address.hpp>
#include <ferry/buffer.hpp>
#include <ferry/headers.hpp>
#include <ferry/time.hpp>
#include <ferry/uuid.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ferry {

/// What a message is for. An event is published to whoever listens; a command is sent to one queue; a request is a
/// command whose sender waits for the reply; a fault is a message that could not be handled, on its way to an error
/// queue or back to its requester.
enum class message_kind : unsigned char { publish, send, request, reply, fault };

[[nodiscard]] std::string_view to_string(message_kind kind) noexcept;
[[nodiscard]] std::optional<message_kind> parse_message_kind(std::string_view text) noexcept;

/// A message on its way: what every transport carries and every store keeps, unchanged. Nil ids and empty texts mean
/// "not there". The body is bytes; nobody but the codec looks into it.
struct envelope {
    message_kind kind = message_kind::publish;
    uuid message_id;
    uuid correlation_id;
    uuid conversation_id;
    uuid causation_id;
    std::string message_type;
    std::vector<std::string> enclosed_types; ///< the types it can also be read as, beside its own
    std::string content_type;
    address source;
    address destination;
    address response;
    address fault;
    std::optional<time_point> sent_at;
    std::optional<time_point> deliver_by;
    std::optional<time_point> scheduled_at;
    std::uint32_t delivery_count = 0;
    std::string partition_key;
    std::string routing_key; ///< what exchanges that route by one look at
    std::string tenant;
    ferry::headers headers;
    buffer body;

    /// Empties every field and keeps the memory.
    void clear() noexcept;

    friend bool operator==(const envelope&, const envelope&) = default;
};

} // namespace ferry
