#pragma once

#include "../shared/database.hpp"

#include <ferry/ferry.hpp>

namespace shop {

/// Makes the tables of orders, where they are not there.
void create_order_tables(database& tables);

/// What orders hears of after an order was placed: that it was paid or refused, and where its parcel is. The tables
/// must outlive the bus.
void add_orders(ferry::bus_builder& builder, database& tables);

} // namespace shop
