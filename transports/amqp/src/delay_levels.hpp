#pragma once

#include <ferry/address.hpp>
#include <ferry/time.hpp>

#include <cstdint>
#include <string>

namespace ferry::amqp {

// How a broker that can only let messages expire delays them by any time: level n has a queue that holds everything for
// 2^n ms. A message goes through the queues of the bits that are set in its delay, from the highest level down, and
// around the others: the routing key carries the bits and the destination.
//
//     exchange of level n --one_pattern(n)---> queue of level n --expired--> exchange of level n-1
//                         --zero_pattern(n)----------------------------------^
//
// Below level 0 is the delivery exchange, with a binding by `delivery_pattern` for each destination.

constexpr int delay_level_count = 38;
/// About 8.7 years.
constexpr std::uint64_t longest_delay_milliseconds = (std::uint64_t{1} << 38U) - 1024;

/// The delay in milliseconds, rounded up so that nothing comes too early. Beyond 131072 ms these are multiples of
/// 1024: a second does not matter then, and ten queues are left out. Throws when it is longer than the longest.
[[nodiscard]] std::uint64_t rounded(duration delay);

/// The level a delay starts at, the highest with a bit that is set; -1 when there is no delay.
[[nodiscard]] int first_level(std::uint64_t milliseconds) noexcept;

/// Throws when the destination cannot be a part of a routing key.
[[nodiscard]] std::string routing_key(std::uint64_t milliseconds, const address& destination);

/// What binds the exchange of a level to its queue: matches delays with a wait at that level.
[[nodiscard]] std::string one_pattern(int level);
/// What binds the exchange of a level to the one below: matches all others.
[[nodiscard]] std::string zero_pattern(int level);
/// What binds the delivery exchange to a destination: matches its keys and no other's, whatever the delay. Throws as
/// `routing_key` does.
[[nodiscard]] std::string delivery_pattern(const address& destination);
/// What matches the keys to every exchange.
[[nodiscard]] std::string every_exchange_pattern();

/// What the parts are called at the broker. Sets of different kinds (classic queues, quorum queues) need different
/// prefixes.
struct delay_names {
    std::string prefix = "ferry.delay";

    /// Both the exchange and the queue of a level.
    [[nodiscard]] std::string level(int number) const;
    [[nodiscard]] std::string delivery() const { return prefix + ".deliver"; }
    /// The queue of what found nobody when it was due, and the fanout exchange in front of it: the alternate exchange
    /// of the delivery exchange.
    [[nodiscard]] std::string undelivered() const { return prefix + ".undelivered"; }
    /// A queue that keeps nothing, where events go beside wherever else they go.
    [[nodiscard]] std::string unheard() const { return prefix + ".unheard"; }
};

} // namespace ferry::amqp
