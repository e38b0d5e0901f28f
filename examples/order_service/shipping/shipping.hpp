#pragma once

#include "../shared/database.hpp"

#include <ferry/ferry.hpp>

#include <chrono>

namespace shop {

/// How long shipping waits for a label before it asks again.
inline constexpr std::chrono::milliseconds label_timeout{500};

/// Makes the tables of shipping, where they are not there.
void create_shipping_tables(database& tables);

/// Shipping gets a label for what is paid, and ships it. The tables must outlive the bus.
void add_shipping(ferry::bus_builder& builder, database& tables);

} // namespace shop
