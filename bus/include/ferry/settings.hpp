#pragma once

#include <ferry/address.hpp>
#include <ferry/exception_policy.hpp>
#include <ferry/time.hpp>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace ferry {

/// Waits that double from a base to a cap.
struct backoff_options {
    duration base_delay = std::chrono::milliseconds{200};
    duration max_delay = std::chrono::seconds{30};

    /// How long to wait after that many failures before this one.
    [[nodiscard]] duration delay(int earlier_failures) const noexcept;
};

/// When a circuit breaker opens, and for how long. What is not set here is looked for in the next wider scope.
struct breaker_options {
    std::optional<bool> enabled = {};
    std::optional<double> failure_ratio = {};           ///< opens when this part of the messages fails ...
    std::optional<std::size_t> minimum_throughput = {}; ///< ... of at least so many ...
    std::optional<duration> sampling_window = {};       ///< ... within this time
    std::optional<duration> break_duration = {};        ///< how long before one message is let through as a test

    [[nodiscard]] breaker_options over(const breaker_options& wider) const;
    void validate(const std::string& what, std::vector<std::string>& problems) const;
};

/// A circuit breaker's settings when all scopes have been looked at.
struct breaker_settings {
    bool enabled = true;
    double failure_ratio = 0.5;
    std::size_t minimum_throughput = 10;
    duration sampling_window = std::chrono::seconds{10};
    duration break_duration = std::chrono::seconds{30};

    /// These settings with what `options` sets.
    [[nodiscard]] breaker_settings with(const breaker_options& options) const;
};

/// What may be set for every consumer of the bus, of its transport or of an endpoint, or for one consumer. The
/// narrowest scope that sets a value wins. A policy is one value: its rules are replaced together, never mixed.
struct consumer_options {
    std::optional<exception_policy> policy = {};
    std::optional<duration> handler_timeout = {};
    std::optional<bool> inbox = {}; ///< whether a message that comes twice is handled once

    [[nodiscard]] consumer_options over(const consumer_options& wider) const;
    void validate(const std::string& scope, std::vector<std::string>& problems) const;
};

/// A consumer's settings when all scopes have been looked at.
struct consumer_settings {
    std::string name = {};
    std::string identity = {};    ///< in the inbox: unique among all services that share a store
    exception_policy policy = {}; ///< sealed
    std::optional<duration> handler_timeout = {};
    bool inbox = true;
};

/// What may be set for the whole bus, for its transport, or for one endpoint. The narrowest scope that sets a value
/// wins, value by value.
struct endpoint_options {
    std::optional<std::size_t> concurrency = {}; ///< how many messages are handled at once; default 2 x cores
    /// How many deliveries are fetched ahead; default 2 x concurrency x group_commit, at least 32.
    std::optional<std::size_t> prefetch = {};
    /// How long a slot waits before it takes another delivery when not even the failure of one could be dealt with (its
    /// error queue is out of reach, say).
    std::optional<backoff_options> recovery = {};
    std::optional<std::size_t> group_commit = {}; ///< how many messages may share a transaction; default 1
    breaker_options circuit_breaker = {};
    breaker_options transport_circuit_breaker = {};

    /// These values where they are set, and `wider`'s where they are not.
    [[nodiscard]] endpoint_options over(const endpoint_options& wider) const;
    /// Appends a sentence for each value that cannot work.
    void validate(const std::string& scope, std::vector<std::string>& problems) const;
};

/// An endpoint's settings when all scopes have been looked at.
struct endpoint_settings {
    std::string name = {}; ///< also the name of its queue
    ferry::address address = {};
    std::string error_queue = {}; ///< empty when it is switched off
    std::string skipped_queue = {};
    std::size_t concurrency = 1;
    std::size_t prefetch = 32;
    backoff_options recovery = {};
    std::size_t group_commit = 1; ///< how many messages may share a transaction
    breaker_settings circuit_breaker = {};
    breaker_settings transport_circuit_breaker = {.failure_ratio = 0.1};
    bool redelivers = false; ///< a consumer of it has a policy that does
};

} // namespace ferry
