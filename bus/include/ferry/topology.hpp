#pragma once

#include <ferry/address.hpp>

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

/// The queues, exchanges and bindings a bus needs at the broker.
struct topology {
    std::vector<queue_definition> queues{};
    std::vector<exchange_definition> exchanges{};
    std::vector<binding_definition> bindings{};
};

} // namespace ferry
