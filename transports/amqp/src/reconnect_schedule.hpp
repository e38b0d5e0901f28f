#pragma once

#include <ferry/settings.hpp>
#include <ferry/time.hpp>

#include <cstddef>

namespace ferry::amqp {

/// Decides which server a client tries next, and how long it waits before. It tries all of them in turn without
/// waiting, and waits longer before each further round. Knows neither clock nor chance: it is given a random number.
class reconnect_schedule {
public:
    /// Needs at least one server.
    explicit reconnect_schedule(std::size_t servers, const backoff_options& backoff = {}) noexcept
        : servers_{servers}, backoff_{backoff} {}

    struct attempt {
        std::size_t server; ///< its place in the list
        duration wait;      ///< before it
    };
    /// The random number, from 0 to 1, spreads the clients: the first one after a success over the servers, the others
    /// over the second half of the wait.
    [[nodiscard]] attempt next(double random) noexcept;
    /// A connection was lost that had worked for so long. When that was longer than the wait before it, another round
    /// begins at once; else whatever ends it would do so again and again, without a pause.
    void worked_for(duration how_long) noexcept;

private:
    [[nodiscard]] std::size_t any_server(double random) const noexcept;
    [[nodiscard]] duration wait_before(std::size_t round, double random) const noexcept;

    std::size_t servers_;
    backoff_options backoff_;
    std::size_t first_ = 0;
    std::size_t attempts_ = 0;           // since the last success
    duration waited_ = duration::zero(); // before the round of the last attempt
};

} // namespace ferry::amqp
