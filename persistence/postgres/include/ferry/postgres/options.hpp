#pragma once

#include <ferry/time.hpp>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

namespace ferry::postgres {

struct store_options {
    std::string schema = "ferry";  ///< where the tables are
    std::string table_prefix = {}; ///< for services that share a schema: "billing_" makes "billing_outbox"
    bool ensure_schema = false;    ///< whether `start` creates the tables and brings older ones up to date
    bool notify = false;           ///< whether processes that share the outbox wake each other's relays
    duration connect_timeout = std::chrono::seconds{10};
    duration connection_wait = std::chrono::seconds{10}; ///< how long to wait while all connections are in use
    /// For handlers and whoever else publishes; without: one for each slot of the bus, and 2. Relay and bus have up to
    /// 5 of their own beside them.
    std::optional<std::size_t> max_connections = {};
    std::optional<duration> statement_timeout = {}; ///< of handlers' statements, too; without: the server's
    std::optional<duration> lock_timeout = {};      ///< of handlers' statements, too; without: the server's
};

} // namespace ferry::postgres
