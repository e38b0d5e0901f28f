#pragma once

#include <ferry/packed_envelope.hpp>

#include <cstdint>
#include <utility>

namespace ferry {

/// What becomes of a delivery. `accept` takes the message off its queue for good, `requeue` puts it back where it was,
/// `reject` hands it to the queue's own dead letters (or requeues it where the queue has none).
enum class verdict : unsigned char { accept, requeue, reject };

/// A message that was taken from a queue and not settled yet.
struct delivered_message {
    packed_envelope content;
    std::uint64_t tag = 0;                ///< the transport's own; means nothing to anybody else
    std::uint32_t earlier_deliveries = 0; ///< how often the queue handed it out before; more than none is "redelivered"
};

/// The transport's side of a delivery.
class delivery_origin {
public:
    /// Called once for each delivery, on any thread. Must not block.
    virtual void settle(delivered_message message, verdict outcome) noexcept = 0;

protected:
    ~delivery_origin() = default;
};

/// One message in the hands of a slot, settled exactly once: settling consumes it, and one that is dropped goes back to
/// its queue.
class delivery {
public:
    delivery() noexcept = default;
    delivery(delivered_message message, delivery_origin& origin) noexcept
        : message_{std::move(message)}, origin_{&origin} {}
    delivery(delivery&& other) noexcept
        : message_{std::move(other.message_)}, origin_{std::exchange(other.origin_, nullptr)} {}
    delivery& operator=(delivery&& other) noexcept {
        give_back();
        message_ = std::move(other.message_);
        origin_ = std::exchange(other.origin_, nullptr);
        return *this;
    }
    ~delivery() { give_back(); }

    void accept() && noexcept { settle(verdict::accept); }
    void requeue() && noexcept { settle(verdict::requeue); }
    void reject() && noexcept { settle(verdict::reject); }

    [[nodiscard]] const packed_envelope& content() const noexcept { return message_.content; }
    [[nodiscard]] std::uint32_t earlier_deliveries() const noexcept { return message_.earlier_deliveries; }
    [[nodiscard]] bool settled() const noexcept { return origin_ == nullptr; }

private:
    void settle(verdict outcome) noexcept {
        if (delivery_origin* origin = std::exchange(origin_, nullptr)) {
            origin->settle(std::move(message_), outcome);
        }
    }
    void give_back() noexcept { settle(verdict::requeue); }

    delivered_message message_;
    delivery_origin* origin_ = nullptr;
};

} // namespace ferry
