#pragma once

#include "billing_messages.hpp"
#include "fault_plan.hpp"

#include <ferry/amqp/options.hpp>
#include <ferry/bus_builder.hpp>
#include <ferry/postgres/options.hpp>

#include <memory>
#include <string>

namespace ferry::scenarios {

/// Where the billing service works, and how.
struct billing_options {
    std::string rabbitmq;
    std::string postgres = {};
    std::string sqlite = {}; ///< a file, in place of PostgreSQL
    std::size_t group_commit = 1;
    bool publish_immediately = false;
    bool by_key = false;          ///< what it publishes has one of ten partition keys
    bool scheduled = false;       ///< what it publishes is on the schedule for a moment
    std::size_t relay_batch = 10; ///< small, so that there are several
    amqp::transport_options transport = {};
    postgres::store_options store = {};
};

/// A service that writes one row of `invoices` for every order, and publishes that it did.
[[nodiscard]] std::unique_ptr<bus_builder> billing(const billing_options& options, fault_plan& plan);

inline constexpr const char* billing_queue = "billing.order-placed";

} // namespace ferry::scenarios
