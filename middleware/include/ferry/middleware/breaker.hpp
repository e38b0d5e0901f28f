#pragma once

#include <ferry/settings.hpp>
#include <ferry/time.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace ferry::middleware {

enum class breaker_state : unsigned char { closed, open, half_open };

/// Decides from how messages end whether more of them should be tried. Knows neither clock nor lock: it is told the
/// time, and is for one caller at once.
class breaker {
public:
    /// The time from one change of state to the next, in which a message was admitted. What ends in a later one says
    /// nothing about that: a slow message from before the break is not its test.
    enum class period : std::uint64_t {};

    explicit breaker(const breaker_settings& settings) noexcept : settings_{settings} {}

    /// Whether a message may be tried now, and in which period. The first that asks after the break is the test, and
    /// the only one until it has ended.
    [[nodiscard]] std::optional<period> admits(time_point now) noexcept;
    /// Each tells how a message ended that was admitted in that period, and returns true when it changed the state.
    bool succeeded(period admitted, time_point now) noexcept;
    bool failed(period admitted, time_point now) noexcept;
    /// The message ended in a way that says nothing. If it was the test, the next one is.
    void said_nothing(period admitted) noexcept;

    [[nodiscard]] breaker_state state() const noexcept { return state_; }
    /// When the test may begin, while it is open.
    [[nodiscard]] time_point open_until() const noexcept { return open_until_; }
    /// What it has seen within the sampling window.
    struct counts {
        std::uint64_t succeeded = 0;
        std::uint64_t failed = 0;
    };
    [[nodiscard]] counts seen(time_point now) noexcept;

private:
    // The window moves in steps of a tenth of it: as exact as anybody needs, and of one size whatever the traffic.
    static constexpr std::size_t steps = 10;

    [[nodiscard]] counts& current(time_point now) noexcept;
    void open(time_point now) noexcept;
    void enter(breaker_state state) noexcept;

    breaker_settings settings_;
    breaker_state state_ = breaker_state::closed;
    period period_{};
    time_point open_until_{};
    std::array<counts, steps> window_{};
    std::int64_t step_ = 0; // since the beginning of time, the one that counts now
};

} // namespace ferry::middleware
