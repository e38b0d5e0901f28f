#pragma once

#include <ferry/detail/completion.hpp>
#include <ferry/log.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/execution_context.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace ferry {

/// Where completion handlers run that are bound to no executor: one thread, which takes all that have come together.
/// Waking it is dear, and brokers answer many messages one shortly after the other. So while many operations are out it
/// is left alone until a good part of them has ended, or a moment is over.
class completion_queue final : public detail::completions {
public:
    using work = std::move_only_function<void()>;

    completion_queue() = default;
    /// Tells there when work throws.
    explicit completion_queue(log_function log) : log_{std::move(log)} {}
    /// With a moment of that length.
    explicit completion_queue(std::chrono::steady_clock::duration moment) noexcept : moment_{moment} {}
    completion_queue(const completion_queue&) = delete;
    completion_queue& operator=(const completion_queue&) = delete;
    ~completion_queue() { join(); }

    /// Puts work into this queue, for as long as the queue is there.
    [[nodiscard]] boost::asio::any_io_executor executor();
    void add(work next);
    void begin_operation() noexcept override { ++out_; }
    void end_operation(work tell) override;
    /// Returns when all of it has run, with what it has added.
    void join();

private:
    using guard = std::unique_lock<std::mutex>;
    /// What the thread does: it sleeps until something comes, it rests until there is enough or the moment is over.
    enum class thread_state : unsigned char { working, resting, sleeping };

    void run();
    void run(work& next);
    /// False when there is nothing and will be nothing.
    [[nodiscard]] bool wait_for_work(guard& lock);
    [[nodiscard]] bool enough_has_come() const noexcept;
    void wake(guard& lock);

    const log_function log_{};
    const std::chrono::steady_clock::duration moment_ = std::chrono::microseconds{500};
    boost::asio::execution_context context_;
    std::atomic<std::size_t> out_{0};
    std::mutex mutex_;
    std::condition_variable arrived_;
    std::vector<work> waiting_;
    thread_state state_ = thread_state::working;
    bool closed_ = false;
    std::vector<work> running_; // on the thread alone
    std::thread thread_{[this] { run(); }};
};

} // namespace ferry
