#pragma once

#include <ferry/buffer.hpp>
#include <ferry/envelope.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace ferry::amqp {

inline constexpr std::uint8_t method_frame = 1;
inline constexpr std::uint8_t header_frame = 2;
inline constexpr std::uint8_t body_frame = 3;
inline constexpr std::uint8_t heartbeat_frame = 8;
inline constexpr std::uint8_t frame_end = 0xCE;

/// What a frame has beside its payload: type, channel and length before, the end octet behind it.
inline constexpr std::size_t frame_overhead = 8;

/// The broker's limit for frames of ours, as it has said it; 0 is none.
[[nodiscard]] constexpr std::uint32_t largest_own_frame(std::uint32_t agreed) noexcept {
    constexpr std::uint32_t enough = std::uint32_t{128} * 1024;
    return agreed == 0 ? enough : agreed;
}
/// What is too large to be a frame of the broker's.
[[nodiscard]] constexpr std::size_t largest_frame_of_others(std::uint32_t agreed) noexcept {
    constexpr std::size_t largest_first_frame = std::size_t{128} * 1024; // comes before they agree
    constexpr std::size_t largest_body = std::size_t{512} << 20;         // RabbitMQ's limit for its max_message_size
    return agreed == 0 ? largest_body + frame_overhead : std::max<std::size_t>(largest_first_frame, agreed);
}

/// A frame as it lies in the bytes of a connection. `size` counts all of its octets, `payload` is what they carry.
struct frame {
    std::uint8_t type = 0;
    std::uint16_t channel = 0;
    std::string_view payload;
    std::size_t size = 0;
};

/// The frame these bytes begin with, or nothing when there is more to come. Throws ferry::error when it does not end as
/// a frame does, and when it has more octets than `frame_max`, on which the connection has agreed; content headers may
/// have up to twice as many.
[[nodiscard]] std::optional<frame> first_frame(std::string_view bytes, std::size_t frame_max);

/// Adds the frames of a basic.publish with the mandatory flag, none of which has more than `frame_max` octets (AMQP
/// allows no less than 4096). Throws ferry::error when the message cannot be sent, and adds nothing then.
void write_publish(const envelope& message, std::string_view exchange, std::string_view routing_key,
                   std::uint16_t channel, std::uint32_t frame_max, buffer& out);

/// Adds a copy of these frames, which are whole, for another channel.
void write_on_channel(std::string_view frames, std::uint16_t channel, buffer& out);

/// The properties in the payload of a content header frame, from the flags on: what `read_properties` takes.
[[nodiscard]] std::string_view properties_of(std::string_view header_payload);

/// Adds a copy of a content header frame that announces the same body and no properties at all.
void write_bare_header(const frame& header, buffer& out);

} // namespace ferry::amqp
