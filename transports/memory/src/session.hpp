#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>

namespace ferry::memory {

/// One transport between start and stop. Its address marks what belongs to it at the broker, and it knows how many of
/// its sends still wait for their outcome.
class session {
public:
    void send_waits() {
        const std::lock_guard lock{mutex_};
        ++waiting_;
    }
    void send_done() {
        const std::lock_guard lock{mutex_};
        if (--waiting_ == 0) {
            none_left_.notify_all();
        }
    }
    void await_sends() {
        std::unique_lock lock{mutex_};
        none_left_.wait(lock, [this] { return waiting_ == 0; });
    }

private:
    std::mutex mutex_;
    std::condition_variable none_left_;
    std::size_t waiting_ = 0;
};

} // namespace ferry::memory
