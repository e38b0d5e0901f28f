#pragma once

#include "ledger.hpp"

#include <ferry/ferry.hpp>

namespace shop {

/// Each service declares its own handlers on the builder it is given; how they are connected is main's business.
void add_billing(ferry::bus_builder& builder, ledger& books);
void add_label_printer(ferry::bus_builder& builder);
void add_shipping(ferry::bus_builder& builder, ledger& books);

} // namespace shop
