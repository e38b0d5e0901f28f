#pragma once

#include "../shared/database.hpp"
#include "order.hpp"

#include <ferry/outbox.hpp>

#include <optional>
#include <string>

namespace shop {

/// Where orders come in. There is no handler around it: it writes and publishes in a transaction of its own.
class order_desk {
public:
    order_desk(database& tables, ferry::outbox outbox) : tables_{tables}, outbox_{outbox} {}

    /// Writes the order, publishes `order_placed`, sends the express on its way and sets the reminder: all of it or
    /// nothing. False when an order of that id was placed before, and then nothing happens.
    bool place(const std::string& order_id, const order& placed);

    /// What has become of an order; none when there is no such order.
    [[nodiscard]] std::optional<std::string> state_of(const std::string& order_id);

private:
    database& tables_;
    ferry::outbox outbox_;
};

} // namespace shop
