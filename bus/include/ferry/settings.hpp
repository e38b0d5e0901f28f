#pragma once

#include <ferry/address.hpp>
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

/// What may be set for the whole bus, for its transport, or for one endpoint. The narrowest scope that sets a value
/// wins, value by value.
struct endpoint_options {
    std::optional<std::size_t> concurrency = {}; ///< how many messages are handled at once; default 2 x cores
    std::optional<std::size_t> prefetch =
        {}; ///< how many deliveries are fetched ahead; default 2 x concurrency, at least 32
    /// How long a slot waits before it takes another delivery when not even the failure of one could be dealt with (its
    /// error queue is out of reach, say).
    std::optional<backoff_options> recovery = {};

    /// These values where they are set, and `wider`'s where they are not.
    [[nodiscard]] endpoint_options over(const endpoint_options& wider) const;
    /// Appends a sentence for each value that cannot work.
    void validate(const std::string& scope, std::vector<std::string>& problems) const;
};

/// An endpoint's settings when all scopes have been looked at.
struct endpoint_settings {
    std::string name = {}; ///< also the name of its queue
    ferry::address address = {};
    std::string error_queue = {};
    std::string skipped_queue = {};
    std::size_t concurrency = 1;
    std::size_t prefetch = 32;
    backoff_options recovery = {};
};

} // namespace ferry
