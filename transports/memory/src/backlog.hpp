#pragma once

#include <ferry/packed_envelope.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>

namespace ferry::memory {

struct queued_message {
    packed_envelope content;
    std::uint32_t order = 0; ///< where it belongs in its queue; counts around, so compare with `before`
    std::uint32_t earlier_deliveries = 0;
};

/// The messages that wait in a queue, in order. Memory comes and goes with them, in small pieces.
class backlog {
public:
    void append(packed_envelope content);
    /// Puts a message that was taken back to where it was.
    void put_back(queued_message message);
    [[nodiscard]] queued_message take_first();
    void clear();
    /// True once each time most of a large backlog is gone, when it pays to give its memory back to the system.
    [[nodiscard]] bool has_shrunk() noexcept;

    [[nodiscard]] bool empty() const noexcept { return messages_.empty(); }
    [[nodiscard]] std::size_t size() const noexcept { return messages_.size(); }
    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
    [[nodiscard]] auto begin() const noexcept { return messages_.begin(); }
    [[nodiscard]] auto end() const noexcept { return messages_.end(); }

private:
    std::deque<queued_message> messages_;
    std::size_t bytes_ = 0;
    std::size_t most_bytes_ = 0; // since it shrank last
    std::uint32_t next_order_ = 0;
};

} // namespace ferry::memory
