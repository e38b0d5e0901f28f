#pragma once

#include <atomic>
#include <exception>
#include <future>
#include <mutex>

namespace ferry {

/// Something that has to succeed once, whoever asks for it first. While one tries, the others wait, and share how it
/// ends; after a failure the next one who asks tries again.
class shared_attempt {
public:
    /// Throws what the attempt throws.
    template <typename Attempt> void make_sure(Attempt attempt) {
        if (succeeded_.load(std::memory_order_acquire)) {
            return;
        }
        std::promise<void> mine;
        std::shared_future<void> others;
        {
            const std::scoped_lock lock{mutex_};
            if (succeeded_) {
                return;
            }
            if (running_.valid()) {
                others = running_;
            } else {
                running_ = mine.get_future().share();
            }
        }
        if (others.valid()) {
            return others.get();
        }
        try {
            attempt();
        } catch (...) {
            end(false);
            mine.set_exception(std::current_exception());
            throw;
        }
        end(true);
        mine.set_value();
    }

private:
    void end(bool succeeded) {
        const std::scoped_lock lock{mutex_};
        running_ = {};
        succeeded_.store(succeeded, std::memory_order_release);
    }

    std::mutex mutex_;
    std::shared_future<void> running_;
    std::atomic<bool> succeeded_{false};
};

} // namespace ferry
