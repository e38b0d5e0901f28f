#pragma once

#include <ferry/envelope.hpp>

#include <cstdint>

namespace ferry::envelope_format {

/// The first byte of a packed envelope. Only a layout that an old reader could not even walk gets another one.
inline constexpr unsigned char layout = 0xF1;

/// One number for each field, for ever: a field that is given up takes its number with it.
enum class field : std::uint8_t {
    kind = 1,
    message_id = 2,
    correlation_id = 3,
    conversation_id = 4,
    causation_id = 5,
    message_type = 6,
    enclosed_type = 7, // once for each
    content_type = 8,
    source = 9,
    destination = 10,
    response = 11,
    fault = 12,
    sent_at = 13,
    deliver_by = 14,
    scheduled_at = 15,
    delivery_count = 16,
    partition_key = 17,
    tenant = 18,
    header = 19, // once for each
    body = 20,
    routing_key = 21,
};

/// The first byte of a header's value.
enum class value_kind : std::uint8_t { null, boolean, integer, real, text, bytes, time, array, table };

/// How deep arrays and tables in headers may nest; hostile bytes must not use up the stack.
inline constexpr int max_header_depth = 16;

} // namespace ferry::envelope_format
