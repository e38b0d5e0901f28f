#include <ferry/time.hpp>

#include <condition_variable>
#include <mutex>

namespace ferry {

namespace {

class system_time final : public time_source {
public:
    time_point now() const noexcept override {
        return std::chrono::time_point_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now());
    }

    bool wait_until(time_point due, std::stop_token stop) override {
        const duration length = due - now();
        if (length <= duration::zero()) {
            return !stop.stop_requested();
        }
        std::mutex mutex;
        std::condition_variable_any stopped;
        std::unique_lock lock{mutex};
        // The length is measured once, on the monotonic clock: setting the system's clock must not stretch a wait.
        return !stopped.wait_for(lock, stop, length, [&] { return stop.stop_requested(); });
    }
};

} // namespace

time_source& time_source::system() noexcept {
    static system_time source;
    return source;
}

} // namespace ferry
