#pragma once

#include <ferry/delivery.hpp>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace ferry {

/// The deliveries an endpoint has fetched and no slot has taken yet. Bounded by the prefetch of the subscription that
/// fills it.
class delivery_queue {
public:
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
    /// A slot that has nothing to do looks around before it sleeps: under load the next delivery may be close, and
    /// waking a sleeper costs more than handling a message. It looks for as long as that was worth it lately.
    void look_around(guard& lock);
    void sleep(guard& lock);
    /// One slot at a time is on its way to what waits: whoever takes something and leaves something sends the next.
    [[nodiscard]] bool should_wake_one() const noexcept { return !coming_ && sleeping_ > 0 && !waiting_.empty(); }

    std::mutex mutex_;
    std::condition_variable arrived_;
    std::deque<delivery> waiting_;
    std::atomic<bool> something_to_do_{false}; // there is a delivery, or the end
    bool coming_ = false;                      // a slot looks around, or was woken and is not here yet
    int looks_ = 1024;                         // how often a slot looks around
    std::size_t sleeping_ = 0;
    bool closed_ = false;
};

} // namespace ferry
