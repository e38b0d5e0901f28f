#include "delivery_queue.hpp"

#include <ferry/detail/brief_lock.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace ferry {

namespace {

constexpr int fewest_looks = 32;
constexpr int most_looks = 256; // some five to ten microseconds; a broker may need the core more than we do
constexpr auto quick = std::chrono::microseconds{50}; // about what it takes to wake a thread on a busy machine
constexpr auto moment = std::chrono::milliseconds{1};
constexpr std::uint64_t worth_watching = 8; // messages while one slot kept watch

} // namespace

void delivery_queue::put(std::span<delivery> deliveries) {
    guard lock = detail::lock_briefly(mutex_);
    if (closed_ || deliveries.empty()) {
        return; // the caller still owns them, and drops them: they go back
    }
    std::ranges::move(deliveries, std::back_inserter(waiting_));
    something_to_do_.store(true, std::memory_order_relaxed);
    wake_one(lock);
}

std::optional<delivery> delivery_queue::take() {
    guard lock = detail::lock_briefly(mutex_);
    back_from_work();
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
    ++begun_;
    last_begun_ = std::this_thread::get_id();
    last_begun_at_ = steady::now();
    wake_one(lock);
    return taken;
}

void delivery_queue::back_from_work() noexcept {
    if (last_begun_ == std::this_thread::get_id()) {
        const auto taken = steady::now() - last_begun_at_;
        quick_ = taken < quick;
        usual_time_ += (taken - usual_time_) / 8;
        last_begun_ = {};
    }
}

bool delivery_queue::somebody_is_back_soon() const noexcept {
    return quick_ && last_begun_ != std::thread::id{} && waiting_.size() * usual_time_ < moment &&
           steady::now() - last_begun_at_ < quick;
}

bool delivery_queue::should_wake_one() const noexcept {
    const bool somebody_sleeps = watcher_ != nullptr || !sleepers_.empty();
    const bool is_taken_soon = coming_ || (watcher_ != nullptr && somebody_is_back_soon());
    return somebody_sleeps && !waiting_.empty() && !is_taken_soon;
}

void delivery_queue::wake_one(guard& lock) {
    if (!should_wake_one()) {
        return;
    }
    sleeper* const next = sleepers_.empty() ? std::exchange(watcher_, nullptr) : sleepers_.back();
    if (!sleepers_.empty()) {
        sleepers_.pop_back();
    }
    coming_ = true;
    next->called = true;
    next->woken.notify_one(); // with the lock: as soon as it is called it may be gone
    lock.unlock();
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
    if (watcher_ == nullptr && somebody_is_back_soon()) {
        return watch(lock);
    }
    sleeper self;
    sleepers_.push_back(&self);
    self.woken.wait(lock, [&] { return self.called || closed_; });
    std::erase(sleepers_, &self);
    coming_ = false; // whether or not another slot was quicker
}

void delivery_queue::watch(guard& lock) {
    sleeper self;
    watcher_ = &self;
    for (std::uint64_t before = begun_;; before = begun_) {
        if (self.woken.wait_for(lock, watch_for_, [&] { return self.called || closed_; })) {
            break;
        }
        if (!waiting_.empty()) { // so whoever is at work was not quick
            quick_ = false;
            break;
        }
        if (begun_ - before < worth_watching) {
            break;
        }
    }
    if (self.called) {
        coming_ = false;
    } else {
        watcher_ = nullptr;
    }
}

void delivery_queue::give_back() {
    std::deque<delivery> left; // let go of without the lock: the broker takes its own
    const guard lock = detail::lock_briefly(mutex_);
    left.swap(waiting_);
    something_to_do_.store(closed_, std::memory_order_relaxed);
}

void delivery_queue::close() {
    std::deque<delivery> left;
    const guard lock = detail::lock_briefly(mutex_);
    closed_ = true;
    something_to_do_.store(true, std::memory_order_relaxed);
    left.swap(waiting_);
    for (sleeper* const each : sleepers_) {
        each->woken.notify_one();
    }
    if (watcher_ != nullptr) {
        watcher_->woken.notify_one();
    }
}

} // namespace ferry
