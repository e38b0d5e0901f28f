#pragma once

#include <ferry/buffer.hpp>
#include <ferry/envelope.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace ferry::amqp {

/// How a message came to its queue, as RabbitMQ tells at the delivery. The default exchange has no name.
struct message_origin {
    std::string_view exchange;
    std::string_view routing_key;
};

/// What a delivery says beside its envelope.
struct arrived {
    std::uint32_t earlier_deliveries = 0; ///< as the queue has counted them
};

/// Writes everything but the body as the properties of a content header of AMQP, from the flags on: in RabbitMQ's own
/// properties what has a place there, in `x-ferry-` headers the rest. A correlation id that came from another program
/// is written as that had written it. Throws ferry::error when a header cannot be carried.
void write_properties(const envelope& message, buffer& out);

/// Reads properties into everything but the body of `out`, which is empty afterwards. What `write_properties` wrote
/// comes back as it was; what only other clients write becomes the nearest a ferry message has. Throws envelope_error.
[[nodiscard]] arrived read_properties(std::string_view properties, const message_origin& origin, envelope& out);

} // namespace ferry::amqp
