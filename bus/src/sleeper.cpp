#include "sleeper.hpp"

namespace ferry {

void sleeper::sleep_until(time_point due) {
    std::unique_lock lock{mutex_};
    if (!woken_) {
        sleep_ = std::stop_source{};
        const std::stop_token token = sleep_.get_token();
        lock.unlock();
        now_.wait_until(due, token);
        lock.lock();
    }
    woken_ = false;
}

void sleeper::wake() {
    const std::scoped_lock lock{mutex_};
    woken_ = true;
    sleep_.request_stop();
}

} // namespace ferry
