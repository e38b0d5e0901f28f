#include "consumer.hpp"

#include "queue.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace ferry::memory {

namespace {

std::size_t checked(std::size_t prefetch) {
    if (prefetch == 0 || prefetch > std::numeric_limits<std::int32_t>::max()) {
        throw error{"a prefetch of " + std::to_string(prefetch) + " makes no sense; take one between 1 and 2^31 - 1"};
    }
    return prefetch;
}

// A quarter: the queue is asked only once for many messages. Less where that would leave a slot without one.
std::size_t worthwhile_batch(const consume_options& options) {
    const std::size_t spare = options.prefetch - std::min(options.prefetch, options.slots);
    return std::max<std::size_t>(1, std::min(options.prefetch / 4, spare + 1));
}

} // namespace

consumer::consumer(std::shared_ptr<queue> source, const consume_options& options, delivery_sink& sink,
                   const session& owner)
    : source_{std::move(source)},
      sink_{sink},
      owner_{&owner},
      prefetch_{checked(options.prefetch)},
      worthwhile_{worthwhile_batch(options)} {}

bool consumer::wants(std::size_t waiting) const noexcept {
    return !paused && credit() >= (for_one ? 1 : std::min(worthwhile_, waiting));
}

void consumer::hand_out(queued_message message, std::vector<delivery>& batch) {
    shares_.fetch_add(1, std::memory_order_relaxed);
    batch.emplace_back(delivered_message{std::move(message.content), message.order, message.earlier_deliveries}, *this);
}

void consumer::settle(delivered_message message, verdict outcome) noexcept {
    const std::shared_ptr<queue> source = source_; // `this` may be gone once its share is dropped
    if (outcome == verdict::accept) {
        if (drop(1)) {
            source->serve();
        }
        return;
    }
    queued_message back{std::move(message.content), static_cast<std::uint32_t>(message.tag),
                        message.earlier_deliveries + 1};
    if (outcome == verdict::reject) {
        source->reject(std::move(back));
    } else {
        source->put_back(std::move(back));
    }
    drop(1);
    source->serve();
}

bool consumer::drop(std::uint64_t share) noexcept {
    const std::uint64_t refill_at = subscription_share + prefetch_ - worthwhile_;
    const std::uint64_t left = shares_.fetch_sub(share, std::memory_order_acq_rel) - share;
    if (left == 0) {
        delete this;
    }
    return left == refill_at;
}

} // namespace ferry::memory
