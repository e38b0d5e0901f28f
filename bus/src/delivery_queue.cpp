#include "delivery_queue.hpp"

#include <ferry/detail/brief_lock.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace ferry {

void delivery_queue::put(std::span<delivery> deliveries) {
    std::size_t wake = 0;
    {
        const guard lock = detail::lock_briefly(mutex_);
        if (closed_ || deliveries.empty()) {
            return; // the caller still owns them, and drops them: they go back
        }
        std::ranges::move(deliveries, std::back_inserter(waiting_));
        something_to_do_.store(!waiting_.empty(), std::memory_order_relaxed);
        // The slot that looks around takes one; the others are for those that sleep.
        wake = std::min({sleeping_, deliveries.size(), waiting_.size() - (looking_around_ ? 1 : 0)});
    }
    for (; wake > 0; --wake) {
        arrived_.notify_one();
    }
}

std::optional<delivery> delivery_queue::take() {
    guard lock = detail::lock_briefly(mutex_);
    if (waiting_.empty() && !closed_ && !looking_around_) {
        look_around(lock);
    }
    if (waiting_.empty() && !closed_) {
        sleep(lock);
    }
    if (waiting_.empty()) {
        return std::nullopt;
    }
    std::optional<delivery> taken{std::move(waiting_.front())};
    waiting_.pop_front();
    something_to_do_.store(closed_ || !waiting_.empty(), std::memory_order_relaxed);
    return taken;
}

void delivery_queue::take_waiting(std::size_t most, std::vector<delivery>& taken) {
    const guard lock = detail::lock_briefly(mutex_);
    for (; most > 0 && !waiting_.empty(); --most) {
        taken.push_back(std::move(waiting_.front()));
        waiting_.pop_front();
    }
    something_to_do_.store(closed_ || !waiting_.empty(), std::memory_order_relaxed);
}

void delivery_queue::look_around(guard& lock) {
    constexpr int looks = 2000; // some ten microseconds
    looking_around_ = true;
    lock.unlock();
    for (int i = 0; i < looks && !something_to_do_.load(std::memory_order_relaxed); ++i) {
        detail::pause_briefly();
    }
    lock = detail::lock_briefly(mutex_);
    looking_around_ = false;
}

void delivery_queue::sleep(guard& lock) {
    ++sleeping_;
    arrived_.wait(lock, [this] { return closed_ || !waiting_.empty(); });
    --sleeping_;
}

void delivery_queue::give_back() {
    std::deque<delivery> left; // let go of without the lock: the broker takes its own
    const guard lock = detail::lock_briefly(mutex_);
    left.swap(waiting_);
    something_to_do_.store(closed_, std::memory_order_relaxed);
}

void delivery_queue::close() {
    std::deque<delivery> left;
    {
        const std::scoped_lock lock{mutex_};
        closed_ = true;
        something_to_do_.store(true, std::memory_order_relaxed);
        left.swap(waiting_);
    }
    arrived_.notify_all();
}

} // namespace ferry
