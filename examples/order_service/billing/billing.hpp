#pragma once

#include "../shared/database.hpp"
#include "gateway.hpp"

#include <ferry/ferry.hpp>

namespace shop {

/// Makes the tables of billing, where they are not there.
void create_billing_tables(database& tables);

/// Billing charges the card of each order and writes its invoice. Tables and gateway must outlive the bus.
void add_billing(ferry::bus_builder& builder, database& tables, gateway& bank);

} // namespace shop
