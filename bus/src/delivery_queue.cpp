#include "delivery_queue.hpp"

#include <ferry/detail/brief_lock.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace ferry {

namespace {

constexpr int fewest_looks = 32;
constexpr int most_looks = 256; // some five to ten microseconds; a broker may need the core more than we do

} // namespace

void delivery_queue::put(std::span<delivery> deliveries) {
    bool wake = false;
    {
        const guard lock = detail::lock_briefly(mutex_);
        if (closed_ || deliveries.empty()) {
            return; // the caller still owns them, and drops them: they go back
        }
        std::ranges::move(deliveries, std::back_inserter(waiting_));
        something_to_do_.store(true, std::memory_order_relaxed);
        wake = should_wake_one();
        coming_ |= wake;
    }
    if (wake) {
        arrived_.notify_one();
    }
}

std::optional<delivery> delivery_queue::take() {
    guard lock = detail::lock_briefly(mutex_);
    if (waiting_.empty() && !closed_ && !coming_) {
        look_around(lock);
    }
    while (waiting_.empty() && !closed_) {
        sleep(lock);
    }
    if (waiting_.empty()) {
        return std::nullopt;
    }
    std::optional<delivery> taken{std::move(waiting_.front())};
    waiting_.pop_front();
    something_to_do_.store(closed_ || !waiting_.empty(), std::memory_order_relaxed);
    if (should_wake_one()) {
        coming_ = true;
        lock.unlock();
        arrived_.notify_one();
    }
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
    const int looks = looks_;
    coming_ = true;
    lock.unlock();
    for (int i = 0; i < looks && !something_to_do_.load(std::memory_order_relaxed); ++i) {
        detail::pause_briefly();
    }
    lock = detail::lock_briefly(mutex_);
    coming_ = false;
    looks_ = waiting_.empty() ? std::max(looks / 2, fewest_looks) : std::min(looks * 2, most_looks);
}

void delivery_queue::sleep(guard& lock) {
    ++sleeping_;
    arrived_.wait(lock);
    --sleeping_;
    coming_ = false; // whether or not another slot was quicker
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
