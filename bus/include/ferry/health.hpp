#pragma once

#include <ferry/time.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ferry {

/// How one endpoint is doing.
struct endpoint_health {
    std::string name;
    bool consuming = false;           ///< messages come in, or one does as a test
    std::string breaker = "closed";   ///< "open" while a circuit breaker holds the endpoint, "half open" while it tests
    std::vector<std::string> held_by; ///< the keys of the breakers that hold it
    std::optional<time_point> held_until;
    std::uint64_t in_flight = 0; ///< messages in the hands of slots
    std::string last_error;      ///< what went wrong last, if anything ever did
    std::optional<time_point> last_error_at;
};

/// How the way to the broker is doing.
struct transport_health {
    std::string name;
    bool connected = false;
    std::string last_error;
    std::optional<bool> sending = {}; ///< whether messages can leave, where that is another question than `connected`

    [[nodiscard]] bool can_send() const noexcept { return sending.value_or(connected); }
};

/// Messages that wait for their time, and those whose sending was given up.
struct schedule_health {
    std::uint64_t waiting = 0;
    std::uint64_t dead = 0;
};

/// What waits in the bus's store, as its relay saw it last.
struct outbox_health {
    std::uint64_t pending = 0;
    std::uint64_t dead = 0;
    std::optional<time_point> oldest; ///< when the oldest pending row was written
    std::string last_error;           ///< what went wrong last between database and broker, if anything ever did
};

/// How a bus is doing, for people and for the probes of whatever runs it.
struct bus_health {
    bool running = false;
    transport_health transport;
    schedule_health scheduled;
    std::optional<outbox_health> outbox; ///< none without a store
    std::vector<endpoint_health> endpoints;

    /// Running, connected, no endpoint is held up, and no scheduled message or row of the outbox is dead.
    [[nodiscard]] bool healthy() const noexcept;
    [[nodiscard]] std::string text() const;
    [[nodiscard]] std::string json() const;
};

} // namespace ferry
