#pragma once

#include <ferry/time.hpp>

#include <chrono>
#include <string>

namespace ferry::sqlite {

/// What a commit survives: `full` a failing power supply, `normal` a crash of the process, and it is much faster.
enum class durability : unsigned char { full, normal };

struct store_options {
    std::string table_prefix = "ferry_"; ///< of every table and index
    bool ensure_schema = true;           ///< whether `start` creates the tables, or brings them up to date
    durability synchronous = durability::full;
    bool foreign_keys = true; ///< whether SQLite enforces the foreign keys of the tables handlers write to
    /// How long to wait for a lock that a connection of the application's own has on the file.
    duration busy_timeout = std::chrono::seconds{5};
    /// How long a unit of work waits for its turn: SQLite lets one transaction write at a time.
    duration turn_timeout = std::chrono::seconds{30};
};

} // namespace ferry::sqlite
