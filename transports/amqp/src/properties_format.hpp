#pragma once

#include "field_table.hpp"

#include <ferry/envelope.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

/// The flags of a content header of class basic, in the order of their values.
namespace ferry::amqp::property {

inline constexpr std::uint16_t content_type = 1U << 15;
inline constexpr std::uint16_t content_encoding = 1U << 14;
inline constexpr std::uint16_t headers = 1U << 13;
inline constexpr std::uint16_t delivery_mode = 1U << 12;
inline constexpr std::uint16_t priority = 1U << 11;
inline constexpr std::uint16_t correlation_id = 1U << 10;
inline constexpr std::uint16_t reply_to = 1U << 9;
inline constexpr std::uint16_t expiration = 1U << 8;
inline constexpr std::uint16_t message_id = 1U << 7;
inline constexpr std::uint16_t timestamp = 1U << 6;
inline constexpr std::uint16_t type = 1U << 5;
inline constexpr std::uint16_t user_id = 1U << 4;
inline constexpr std::uint16_t app_id = 1U << 3;
inline constexpr std::uint16_t cluster_id = 1U << 2;
inline constexpr std::uint16_t unknown = 3U;

} // namespace ferry::amqp::property

namespace ferry::amqp {

/// The id that a text stands for: the one it is, or else one that is the same for this text for ever, since a
/// redelivery or a duplicate must be known again.
[[nodiscard]] uuid id_of(std::string_view text) noexcept;

} // namespace ferry::amqp

/// The kind of a message that does not say it.
namespace ferry::amqp {

constexpr message_kind likely_kind(bool wants_reply, bool came_by_exchange) noexcept {
    if (wants_reply) {
        return message_kind::request;
    }
    return came_by_exchange ? message_kind::publish : message_kind::send;
}

} // namespace ferry::amqp

/// What a message's timestamp and id tell of when it was sent; a header has to tell the rest.
namespace ferry::amqp {

/// What a timestamp has of that moment, which has no time before 1970.
inline std::optional<std::uint64_t> seconds_of(time_point moment) noexcept {
    const auto count = std::chrono::floor<std::chrono::seconds>(moment).time_since_epoch().count();
    return count < 0 ? std::nullopt : std::optional{static_cast<std::uint64_t>(count)};
}

inline std::optional<time_point> sent_at_told(std::optional<std::uint64_t> timestamp, const uuid& message_id) noexcept {
    if (!timestamp) {
        return std::nullopt;
    }
    const std::optional<time_point> made = message_id.time();
    return made && seconds_of(*made) == timestamp ? made : moment_of(*timestamp);
}

} // namespace ferry::amqp

/// What the text of an address begins with. The name behind it may be empty here, so that every address comes back.
namespace ferry::amqp {

inline constexpr std::string_view queue_scheme = "queue:";
inline constexpr std::string_view exchange_scheme = "exchange:";

} // namespace ferry::amqp

/// The headers that carry what AMQP has no property for, or none that is large enough.
namespace ferry::amqp::header_names {

inline constexpr std::string_view kind = "x-ferry-kind";
inline constexpr std::string_view conversation_id = "x-ferry-conversation-id";
inline constexpr std::string_view causation_id = "x-ferry-causation-id";
inline constexpr std::string_view message_type = "x-ferry-type";
inline constexpr std::string_view enclosed_types = "x-ferry-enclosed-types";
inline constexpr std::string_view content_type = "x-ferry-content-type";
inline constexpr std::string_view source = "x-ferry-source";
inline constexpr std::string_view destination = "x-ferry-destination";
inline constexpr std::string_view response = "x-ferry-response";
inline constexpr std::string_view fault = "x-ferry-fault";
inline constexpr std::string_view sent_at = "x-ferry-sent-at";
inline constexpr std::string_view deliver_by = "x-ferry-deliver-by";
inline constexpr std::string_view scheduled_at = "x-ferry-scheduled-at";
inline constexpr std::string_view delivery_count = "x-ferry-delivery-count";
inline constexpr std::string_view partition_key = "x-ferry-partition-key";
inline constexpr std::string_view routing_key = "x-ferry-routing-key";
inline constexpr std::string_view tenant = "x-ferry-tenant";

/// The names of the user's headers in their order, when they do not come back in it: RabbitMQ sorts headers by name.
inline constexpr std::string_view order = "x-ferry-header-order";

/// Put before the name of a user's header which RabbitMQ would take for one of its own: it sends copies where `CC` and
/// `BCC` say, or closes the channel if they are not lists of names, and overwrites the others.
inline constexpr std::string_view own_prefix = "x-ferry-own-";

inline constexpr std::string_view copies = "CC";
inline constexpr std::string_view blind_copies = "BCC";
inline constexpr std::string_view earlier_deliveries = "x-delivery-count";
inline constexpr std::string_view first_death_exchange = "x-first-death-exchange";
inline constexpr std::string_view first_death_queue = "x-first-death-queue";
inline constexpr std::array<std::string_view, 7> deaths{
    "x-death",
    first_death_exchange,
    first_death_queue,
    "x-first-death-reason",
    "x-last-death-exchange",
    "x-last-death-queue",
    "x-last-death-reason",
};

constexpr bool tells_of_death(std::string_view name) noexcept { return std::ranges::contains(deaths, name); }

constexpr bool mean_something_to_rabbitmq(std::string_view name) noexcept {
    return name == copies || name == blind_copies || name == earlier_deliveries || tells_of_death(name);
}

} // namespace ferry::amqp::header_names
