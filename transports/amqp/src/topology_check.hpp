#pragma once

#include <ferry/amqp/options.hpp>
#include <ferry/topology.hpp>

#include <string>
#include <vector>

namespace ferry::amqp {

/// Appends a sentence for each thing that cannot work in a topology that is complete.
void check_topology(const topology& complete, const transport_options& options, std::vector<std::string>& problems);
/// The same for the bindings that ferry makes by itself, in any part of a topology.
void check_own_ways(const topology& some, const transport_options& options, std::vector<std::string>& problems);

} // namespace ferry::amqp
