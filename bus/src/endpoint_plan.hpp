#pragma once

#include <ferry/registration.hpp>
#include <ferry/settings.hpp>
#include <ferry/topology.hpp>

#include <string>
#include <vector>

namespace ferry {

/// An endpoint with its names and settings worked out: what registration says, and what convention adds.
struct endpoint_plan {
    endpoint_settings settings;
    std::vector<consumer_registration> consumers; ///< all with a name
    consumer_options every_consumer;
    stage_placements stages;
    duration longest_redelivery = {}; ///< of its consumers; zero when none redelivers
};

/// Every endpoint of a bus. Appends a sentence to `problems` for each thing that cannot work.
[[nodiscard]] std::vector<endpoint_plan> plan_endpoints(bus_registration& registration,
                                                        std::vector<std::string>& problems);

/// What holds for one of its consumers, after a look at all scopes.
[[nodiscard]] consumer_settings settings_of(const consumer_registration& consumer, const endpoint_plan& endpoint,
                                            const bus_registration& bus);

/// What the broker must have for these endpoints and their handlers.
[[nodiscard]] topology topology_of(const std::vector<endpoint_plan>& endpoints, const naming& convention);

} // namespace ferry
