#pragma once

#include "delivery_queue.hpp"

#include <ferry/endpoint_control.hpp>
#include <ferry/health.hpp>
#include <ferry/timer_queue.hpp>
#include <ferry/transport.hpp>

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace ferry {

/// Whether messages come to an endpoint: all of them, none while a stage holds it, or one at a time to see whether what
/// was wrong is over.
class endpoint_gate final : public endpoint_control {
public:
    endpoint_gate(clock now, timer_queue& timers) noexcept : now_{now}, timers_{timers} {}

    /// From here on the subscription is paused and resumed as the holders ask.
    void open(subscription& source, delivery_queue& waiting);
    /// The subscription is about to end.
    void close();

    void hold(std::string_view holder, time_point until) override;
    void release(std::string_view holder) override;
    void report(std::string_view failure) override;

    /// What a slot takes along with a message: the test this message may be.
    using ticket = std::uint64_t;
    [[nodiscard]] ticket enter() const noexcept { return test_.load(std::memory_order_relaxed); }
    /// The message is settled. If it was the test and no holder has learnt from it, because it never came that far, the
    /// next one is let through.
    void leave(ticket entered) noexcept;

    void describe(endpoint_health& health) const;

private:
    enum class state : unsigned char { running, shut, testing };

    void adjust();
    void shut(time_point until);
    void let_one_through();
    void wake();

    clock now_;
    timer_queue& timers_;
    mutable std::mutex mutex_;
    subscription* source_ = nullptr;
    delivery_queue* waiting_ = nullptr;
    std::map<std::string, time_point, std::less<>> holders_;
    state state_ = state::running;
    std::optional<timer_queue::timer> timer_;
    ticket tests_ = 0;
    std::string last_error_;
    std::optional<time_point> last_error_at_;

    std::atomic<ticket> test_{0}; // the one that is out, or 0
};

} // namespace ferry
