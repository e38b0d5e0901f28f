#include <ferry/timer_queue.hpp>

namespace ferry {

void timer_queue::stop() noexcept {
    {
        const std::scoped_lock lock{mutex_};
        ending_ = true;
        wake();
    }
    if (thread_.joinable()) {
        thread_.join();
    }
}

timer_queue::timer timer_queue::at(time_point due, action what) {
    const std::scoped_lock lock{mutex_};
    if (!ending_ && !thread_.joinable()) {
        thread_ = std::thread{[this] { run(); }};
    }
    const timer added{due, made_++};
    const auto place = timers_.emplace(added, std::move(what)).first;
    if (place == timers_.begin()) {
        wake();
    }
    return added;
}

bool timer_queue::cancel(const timer& which) {
    const std::scoped_lock lock{mutex_};
    const auto found = timers_.find(which);
    if (found == timers_.end()) {
        return false;
    }
    const bool is_slept_for = found == timers_.begin();
    timers_.erase(found);
    if (is_slept_for) {
        wake(); // or a test would see somebody wait, and move its clock to where nothing happens
    }
    return true;
}

void timer_queue::run() {
    std::unique_lock lock{mutex_};
    while (await_due(lock)) {
        action what = take_first();
        lock.unlock();
        what();
        what = nullptr; // what it holds may lock this queue again when it goes
        lock.lock();
    }
}

bool timer_queue::await_due(std::unique_lock<std::mutex>& lock) {
    while (!ending_) {
        if (timers_.empty()) {
            changed_.wait(lock);
        } else if (const time_point due = timers_.begin()->first.first; due > now_()) {
            sleep_until(due, lock);
        } else {
            return true;
        }
    }
    return false;
}

void timer_queue::sleep_until(time_point due, std::unique_lock<std::mutex>& lock) {
    sleep_ = std::stop_source{};
    const std::stop_token woken = sleep_.get_token();
    lock.unlock();
    now_.wait_until(due, woken);
    lock.lock();
}

void timer_queue::wake() {
    sleep_.request_stop();
    changed_.notify_one();
}

timer_queue::action timer_queue::take_first() {
    action what = std::move(timers_.begin()->second);
    timers_.erase(timers_.begin());
    return what;
}

} // namespace ferry
