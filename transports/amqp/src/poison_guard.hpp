#pragma once

#include <ferry/envelope.hpp>
#include <ferry/time.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace ferry::amqp {

/// Decides about messages that come again from a queue which does not count how often. RabbitMQ's classic queues say of
/// a message that it was handed out before, and no more, so one whose process dies with it would come for ever. The
/// count is kept in the message itself: a process that dies can keep nothing, and the queue cannot be written to.
class poison_guard {
public:
    /// Without a limit everything is handed out.
    explicit poison_guard(std::optional<int> limit = {}) noexcept;

    enum class advice : unsigned char {
        hand_out, ///< to whoever consumes
        count,    ///< put a copy with a higher count into the queue first, and take the message off it
        give_up,  ///< put it among the dead letters
    };
    /// `by_queue` and `by_us` are how often the message was handed out before, as the queue and the message say.
    [[nodiscard]] advice about(bool redelivered, std::uint32_t by_queue, std::uint32_t by_us) const noexcept;
    /// How often a message was handed out before, as far as anybody knows.
    [[nodiscard]] std::uint32_t earlier_deliveries(bool redelivered, std::uint32_t by_queue,
                                                   std::uint32_t by_us) const noexcept;
    [[nodiscard]] bool is_on() const noexcept { return limit_.has_value(); }

private:
    std::optional<std::uint32_t> limit_;
};

/// The same message, with the count it has reached: for its queue once more, whatever its destination is.
[[nodiscard]] envelope counted_copy(const envelope& message, std::uint32_t earlier);

/// The message for the dead letters of its queue, with the reason; nobody's count any more.
[[nodiscard]] envelope poisonous_copy(const envelope& message, const std::string& queue,
                                      const std::string& dead_letters, std::uint32_t earlier, time_point now);

} // namespace ferry::amqp
