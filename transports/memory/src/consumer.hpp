#pragma once

#include "backlog.hpp"
#include "session.hpp"

#include <ferry/delivery.hpp>
#include <ferry/transport.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace ferry::memory {

class queue;

/// A subscription as its queue sees it, and the origin of the deliveries it was given. It lives until the subscription
/// has let go of it and the last of those deliveries is settled.
class consumer final : public delivery_origin {
public:
    consumer(std::shared_ptr<queue> source, const consume_options& options, delivery_sink& sink, const session& owner);

    /// Whether it is worth a round now: it has room for all that waits, or for a batch of its own size.
    [[nodiscard]] bool wants(std::size_t waiting) const noexcept;
    [[nodiscard]] std::size_t credit() const noexcept { return prefetch_ - unsettled(); }
    /// Adds deliveries of these messages to `batch`. Only the thread that serves the queue may.
    void hand_out(queued_message message, std::vector<delivery>& batch);
    void settle(delivered_message message, verdict outcome) noexcept override;
    /// The subscription's last word; the consumer may be gone afterwards.
    void let_go() noexcept { drop(subscription_share); }

    [[nodiscard]] delivery_sink& sink() const noexcept { return sink_; }
    [[nodiscard]] const std::shared_ptr<queue>& source() const noexcept { return source_; }
    [[nodiscard]] bool belongs_to(const session& owner) const noexcept { return &owner == owner_; }

    // Under the lock of the queue.
    bool paused = false;
    bool for_one = false; ///< pauses with the next message

private:
    // One count for both questions, who keeps this alive and how many deliveries are out, makes accepting a message a
    // single decrement.
    static constexpr std::uint64_t subscription_share = std::uint64_t{1} << 32;

    [[nodiscard]] std::size_t unsettled() const noexcept { return static_cast<std::uint32_t>(shares_.load()); }
    bool drop(std::uint64_t share) noexcept;

    const std::shared_ptr<queue> source_;
    delivery_sink& sink_;
    const session* const owner_;
    const std::size_t prefetch_;
    const std::size_t worthwhile_;
    std::atomic<std::uint64_t> shares_{subscription_share};
};

} // namespace ferry::memory
