#pragma once

#include <ferry/address.hpp>
#include <ferry/time.hpp>

#include <string>
#include <vector>

namespace ferry {

struct queue_definition {
    std::string name = {};
    bool temporary = false;     ///< belongs to one running instance and goes with it, like a reply queue
    std::string dead_letters{}; ///< the queue that takes rejected deliveries; empty: a rejected delivery is requeued

    friend bool operator==(const queue_definition&, const queue_definition&) = default;
};

/// Copies every message that is sent to it to each queue and exchange bound to it.
struct exchange_definition {
    std::string name = {};

    friend bool operator==(const exchange_definition&, const exchange_definition&) = default;
};

struct binding_definition {
    std::string exchange;
    address target;

    friend bool operator==(const binding_definition&, const binding_definition&) = default;
};

/// A place that messages are sent to with a delay, like a queue that failed ones go back to. Known in advance, so that
/// brokers which need something for it can be prepared.
struct delay_definition {
    address target;
    duration longest{};

    friend bool operator==(const delay_definition&, const delay_definition&) = default;
};

/// The queues, exchanges and bindings a bus needs at the broker.
struct topology {
    std::vector<queue_definition> queues{};
    std::vector<exchange_definition> exchanges{};
    std::vector<binding_definition> bindings{};
    std::vector<delay_definition> delays{};
};

} // namespace ferry
