#pragma once

#include <ferry/settings.hpp>
#include <ferry/store.hpp>
#include <ferry/time.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ferry {

/// How rows of the outbox become messages at the broker.
struct relay_options {
    duration poll_interval = std::chrono::seconds{5}; ///< how soon rows of others are found that nobody has told of
    std::size_t batch = 500;                          ///< rows that are locked and on their way together
    int attempts = 8;                                 ///< then a row is dead
    backoff_options backoff{.base_delay = std::chrono::seconds{2}, .max_delay = std::chrono::minutes{10}};
    /// Sends a row from memory right after its commit, without reading it back. The relay takes over where that fails.
    bool publish_immediately = false;
    /// Told of each row that is given up, on the relay's thread. What it throws is logged.
    std::function<void(const dead_message&)> on_dead = {};
};

/// How long a store remembers what was handled, and how it forgets.
struct inbox_options {
    duration retention = std::chrono::days{7};
    duration cleanup_interval = std::chrono::hours{1};
    std::size_t cleanup_chunk = 1000; ///< rows that are deleted at once
};

/// What a bus uses its store for.
struct persistence_options {
    bool outbox = true; ///< what is published becomes a row first, in the handler's transaction where there is one
    bool inbox = true;  ///< a message that comes twice is handled once
    relay_options relay = {};
    inbox_options claims = {};
    std::size_t largest_body = 1024 * 1024; ///< of a message in the outbox; a larger one is an error to its publisher
    bool tenant_required = false;           ///< whether a message without a tenant is an error to its publisher
    std::optional<duration> forget_dead_after = {}; ///< dead rows stay for ever if nothing is said
    /// How often a consumer that failed for the database's sake (its connection was lost, two transactions were in each
    /// other's way) runs again at once, in a fresh transaction; 0 leaves that to its policy.
    int database_retries = 3;

    void validate(std::vector<std::string>& problems) const;
};

} // namespace ferry
