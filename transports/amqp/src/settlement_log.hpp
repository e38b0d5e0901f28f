#pragma once

#include <ferry/delivery.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ferry::amqp {

/// The deliveries of one channel, and what the broker has still to be told about them: each exactly once, in as few
/// words as possible. It is for one caller at once.
class settlement_log {
public:
    /// Tags come in ascending order.
    void delivered(std::uint64_t tag);
    /// A tag that is not out (another channel's, say, or one that was settled before) is ignored.
    void settled(std::uint64_t tag, verdict outcome) noexcept;

    struct instruction {
        std::uint64_t tag;
        verdict outcome;
        bool multiple; ///< for every delivery up to the tag that the broker was told nothing about

        friend bool operator==(const instruction&, const instruction&) = default;
    };
    /// Appends what to tell the broker now, in this order. Accepts below the lowest unfinished delivery are told as
    /// one.
    void take(std::vector<instruction>& out);

    /// How many deliveries are out.
    [[nodiscard]] std::size_t unsettled() const noexcept { return entries_.size() - told_ - untold_; }
    /// Nothing is out, and nothing has to be told.
    [[nodiscard]] bool empty() const noexcept { return entries_.size() == told_; }
    /// How many deliveries it has in memory: after `take` at most twice those that are out.
    [[nodiscard]] std::size_t remembered() const noexcept { return entries_.size(); }
    /// Forgets everything: the channel is gone.
    void clear() noexcept;

private:
    enum class progress : unsigned char { out, settled, told };
    struct entry {
        std::uint64_t tag;
        verdict outcome = verdict::accept;
        progress state = progress::out;
    };

    void tell_what_is_complete(std::vector<instruction>& out);
    void tell_one_by_one(std::vector<instruction>& out);
    void tell(entry& which, std::vector<instruction>& out);
    void mark_told(entry& which) noexcept;
    void forget_told() noexcept;

    std::vector<entry> entries_; // by tag; those that were told are taken out when they are the half of it
    std::size_t first_ = 0;      // all before it were told
    std::size_t untold_ = 0;     // settled, and not told
    std::size_t told_ = 0;
};

} // namespace ferry::amqp
