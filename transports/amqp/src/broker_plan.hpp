#pragma once

#include "delay_levels.hpp"

#include <ferry/amqp/options.hpp>
#include <ferry/description.hpp>
#include <ferry/envelope.hpp>
#include <ferry/topology.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ferry::amqp {

struct planned_queue {
    std::string name = {};
    bool temporary = false;
    bool create = true; ///< or it is expected to be there
    amqp::arguments arguments = {};

    friend bool operator==(const planned_queue&, const planned_queue&) = default;
};

struct planned_exchange {
    std::string name = {};
    exchange_type type = exchange_type::fanout;
    bool create = true;
    amqp::arguments arguments = {};

    friend bool operator==(const planned_exchange&, const planned_exchange&) = default;
};

struct planned_binding {
    std::string exchange = {};
    address target = {};
    std::string routing_key = {};
    bool create = true;
    amqp::arguments arguments = {};

    friend bool operator==(const planned_binding&, const planned_binding&) = default;
};

/// What RabbitMQ is asked for: a topology with everything the options say about it. In the order it can be declared.
struct broker_plan {
    std::vector<planned_queue> queues;
    std::vector<planned_exchange> exchanges;
    std::vector<planned_binding> bindings;
};

/// The topology, and what the options name beside it.
[[nodiscard]] topology with_own(topology wanted, const topology_options& own);

[[nodiscard]] broker_plan plan_for(const topology& wanted, const transport_options& options);

/// What delayed messages pass through, from one level up to another, without the last. The first level comes with the
/// exchange behind it.
[[nodiscard]] broker_plan plan_for_delays(int from, int to, const transport_options& options);
/// The topology, and behind it what its delayed messages will pass through.
[[nodiscard]] broker_plan plan_with_delays(const topology& wanted, const transport_options& options);
/// The way from there to a destination.
[[nodiscard]] planned_binding plan_for_delivery(const address& destination, const transport_options& options);
[[nodiscard]] delay_names names_of_delays(const transport_options& options);

/// What the exchanges look at that a message passes: its own key or, where it has none, its type. Throws when it is too
/// long.
[[nodiscard]] const std::string& routing_key_of(const envelope& message);
/// Throws when the message cannot wait at the broker: its way through the delays is in the routing key, which the
/// exchange it is for wants to look at itself.
void require_delayable(const envelope& message, const transport_options& options);

/// Whether the broker has a place for what is rejected.
[[nodiscard]] bool has_dead_letters(const queue_definition& queue, const transport_options& options);

/// Whether the broker gives everything to one of several consumers.
[[nodiscard]] bool has_one_consumer(const std::string& queue, const transport_options& options);

/// How often a message may be handed out again, where ferry has to count that itself: the queue is a classic one.
[[nodiscard]] std::optional<int> limit_to_count(const queue_definition& queue, const transport_options& options);

[[nodiscard]] std::string_view to_string(exchange_type type) noexcept;
[[nodiscard]] broker_description described(const broker_plan& plan);

} // namespace ferry::amqp
