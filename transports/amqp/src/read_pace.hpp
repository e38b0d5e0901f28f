#pragma once

#include <chrono>
#include <cstddef>

namespace ferry::amqp {

/// How fast messages come in, and so how long a connection may leave its socket alone. Under load a broker sends a few
/// at a time, and each read wakes a slot, has an answer written, and takes a core from whoever shares the machine: a
/// pause that is hardly felt makes one read of many. Knows no clock.
class arrival_rate {
public:
    using moment = std::chrono::steady_clock::time_point;

    /// That many came with a read; they are counted for a millisecond at least.
    void note(std::size_t messages, moment now) noexcept;
    /// Messages a second, lately.
    [[nodiscard]] double a_second() const noexcept { return a_second_; }

private:
    moment since_{};
    std::size_t counted_ = 0;
    double a_second_ = 0;
};

/// The pause before the next read of a connection with several consumers.
class read_pace {
public:
    static constexpr std::chrono::microseconds longest{500};
    static constexpr double worth_a_pause = 3; // messages that come meanwhile

    /// One of them, and how many messages it may have out: no pause keeps back more than an eighth of those.
    void include(const arrival_rate& rate, std::size_t prefetch) noexcept;
    /// Zero when too little would come meanwhile.
    [[nodiscard]] std::chrono::microseconds pause() const noexcept;

private:
    double together_ = 0; // messages a second
    double seconds_ = std::chrono::duration<double>{longest}.count();
};

} // namespace ferry::amqp
