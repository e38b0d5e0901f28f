#pragma once

#include <ferry/address.hpp>
#include <ferry/buffer.hpp>
#include <ferry/transport.hpp>
#include <ferry/uuid.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

namespace ferry::amqp {

/// What `outgoing` calls the exchange that always is there and takes everything.
inline constexpr std::size_t no_exchange = 0;
[[nodiscard]] std::size_t hash_of(std::string_view exchange) noexcept;

/// The way of a delayed message: the first level it passes through, and where it is for.
struct delay_route {
    address destination;
    int level = 0;
};

/// A message on its way to the broker, written out, and whoever wants to know what became of it.
struct outgoing {
    buffer frames = {};
    std::size_t size = 0; ///< of the frames, also when they are gone
    send_callback on_outcome = {};
    uuid message_id = {};
    std::size_t place = 0;              ///< `place_of` where it goes
    std::size_t exchange = no_exchange; ///< the hash of its name, unless something else sees to it that it is there
    std::chrono::steady_clock::time_point deadline = {};
    std::unique_ptr<delay_route> delay = {}; ///< what it passes through has to be there
    bool returned = false;                   ///< the broker had no queue for it
    bool left = false;                       ///< it was written to a connection, at least once
    bool suspect = false;                    ///< it was on its way when the broker closed the channel
};

/// Moves those that have waited too long behind `late`, and leaves the others in their order.
void take_late(std::deque<outgoing>& waiting, std::chrono::steady_clock::time_point now, std::vector<outgoing>& late);

/// Tells copies of one message apart that go to different places.
[[nodiscard]] std::size_t place_of(std::string_view exchange, std::string_view routing_key) noexcept;

/// The messages a channel has sent and the broker has not answered for yet, by their sequence numbers. Knows neither
/// sockets nor clocks.
class confirm_window {
public:
    explicit confirm_window(std::size_t size) noexcept : size_{size} {}

    [[nodiscard]] bool has_room() const noexcept { return open_ < size_; }
    [[nodiscard]] bool empty() const noexcept { return open_ == 0; }
    /// Takes a message that has just been written; its number is one more than the last one's.
    void sent(outgoing message);
    /// The broker has answered for that number; for all up to it when it says so. Appends the messages to `answered`.
    void answered(std::uint64_t number, bool multiple, std::vector<outgoing>& answered);
    /// The broker gives a message back; its answer for it is still to come. Of several alike it is the oldest.
    void returned(const uuid& message_id, std::size_t place) noexcept;
    /// Appends what has waited too long; an answer that still comes is ignored.
    void take_late(std::chrono::steady_clock::time_point now, std::vector<outgoing>& late);
    /// The channel is gone: appends everything, and begins from one again.
    void take_all(std::vector<outgoing>& all);

private:
    struct entry {
        outgoing message;
        bool open = true;
    };
    using old_entries = std::map<std::uint64_t, outgoing>;

    [[nodiscard]] outgoing* find(const uuid& message_id, std::size_t place) noexcept;
    void take(entry& which, std::vector<outgoing>& out);
    void take_old(old_entries::iterator from, old_entries::iterator to, std::vector<outgoing>& out);
    void forget_answered() noexcept;

    std::size_t size_;
    old_entries old_; // still open when so many newer ones were answered, so that nobody waits for them
    std::deque<entry> entries_;
    std::uint64_t first_ = 1; // the number of the first entry
    std::size_t open_ = 0;
};

} // namespace ferry::amqp
