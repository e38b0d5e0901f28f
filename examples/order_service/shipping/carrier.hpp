#pragma once

#include <ferry/ferry.hpp>

namespace shop {

/// How often the carrier's printer jams. Then an answer takes longer than anybody waits for it.
struct carrier_options {
    double jam_rate = 0;
    unsigned seed = 1;
};

/// The carrier prints labels. It stands for a service of somebody else: it has a bus of its own, and no database.
void add_carrier(ferry::bus_builder& builder, const carrier_options& options);

} // namespace shop
