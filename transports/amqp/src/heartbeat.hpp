#pragma once

#include <chrono>

namespace ferry::amqp {

/// What is to be done about a connection after so much silence either way. Whoever asks every half interval speaks in
/// each interval, and notices within two of them that the other side is dead. Knows no clock.
struct heartbeat {
    std::chrono::steady_clock::duration interval; ///< zero: there are none

    [[nodiscard]] std::chrono::steady_clock::duration pause() const noexcept { return interval / 2; }
    /// The other side has said nothing for that long: one and a half, since it is not asked again before two.
    [[nodiscard]] bool is_dead(std::chrono::steady_clock::duration silence) const noexcept {
        return silence >= interval + pause();
    }
    /// We have said nothing for that long.
    [[nodiscard]] bool is_due(std::chrono::steady_clock::duration silence) const noexcept {
        return silence >= interval / 3;
    }
};

} // namespace ferry::amqp
