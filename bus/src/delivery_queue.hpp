#pragma once

#include <ferry/delivery.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <vector>

namespace ferry {

/// The deliveries an endpoint has fetched and no slot has taken yet. Bounded by the prefetch of the subscription that
/// fills it.
class delivery_queue {
public:
    using steady = std::chrono::steady_clock;

    /// A slot that keeps watch does so for that long.
    explicit delivery_queue(steady::duration watch_for = std::chrono::milliseconds{1}) noexcept
        : watch_for_{watch_for} {}

    void put(std::span<delivery> deliveries);
    /// Waits for the next delivery; none when the queue was closed.
    [[nodiscard]] std::optional<delivery> take();
    /// Appends what waits, up to so many, without waiting for more.
    void take_waiting(std::size_t most, std::vector<delivery>& taken);
    /// Gives what waits back to the broker.
    void give_back();
    /// Lets every waiting slot go, and gives what was left back to the broker.
    void close();

private:
    using guard = std::unique_lock<std::mutex>;
    void back_from_work() noexcept;
    /// A slot that has nothing to do looks around before it sleeps: under load the next delivery may be close, and
    /// waking a sleeper costs more than handling a message. It looks for as long as that was worth it lately.
    void look_around(guard& lock);
    void sleep(guard& lock);
    /// While handlers are quick, whoever has just begun is back before a sleeper would be awake, so nobody is woken for
    /// what waits, unless that is more than one slot does in a moment. One slot keeps watch meanwhile, for as long as
    /// messages flow, in case a handler is not so quick this time. Those who began earlier do not count: they may have
    /// an hour of work.
    [[nodiscard]] bool somebody_is_back_soon() const noexcept;
    void watch(guard& lock);
    /// One slot at a time is on its way to what waits: whoever takes something and leaves something sends the next.
    [[nodiscard]] bool should_wake_one() const noexcept;
    void wake_one(guard& lock);

    /// A slot that is called when there is something to do. The one that went to sleep last is called first: what it
    /// needs is still in the caches, and the others sleep on.
    struct sleeper {
        std::condition_variable woken;
        bool called = false;
    };

    const steady::duration watch_for_;
    std::mutex mutex_;
    std::vector<sleeper*> sleepers_;
    sleeper* watcher_ = nullptr;
    std::deque<delivery> waiting_;
    std::atomic<bool> something_to_do_{false}; // there is a delivery, or the end
    bool coming_ = false;                      // a slot looks around, or was woken and is not here yet
    bool quick_ = false;                       // the handler that ended last was
    steady::duration usual_time_{};            // that handlers have taken lately
    int looks_ = 256;                          // how often a slot looks around
    std::uint64_t begun_ = 0;                  // messages that slots have begun to handle
    std::thread::id last_begun_;               // the slot that took something last, until it is back
    steady::time_point last_begun_at_;
    bool closed_ = false;
};

} // namespace ferry
