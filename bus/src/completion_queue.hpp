#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/thread_pool.hpp>

#include <functional>
#include <mutex>
#include <utility>
#include <vector>

namespace ferry {

/// Where completion handlers run that are bound to no executor: one thread, which takes all that have come together
/// and is woken once for them, since brokers confirm many messages at a time and waking is dear.
class completion_queue {
public:
    using work = std::move_only_function<void()>;

    completion_queue() = default;
    completion_queue(const completion_queue&) = delete;
    completion_queue& operator=(const completion_queue&) = delete;
    ~completion_queue() { join(); }

    /// Puts work into this queue, for as long as the queue is there.
    [[nodiscard]] boost::asio::any_io_executor executor();
    void add(work next);
    /// Returns when all of it has run.
    void join() { thread_.join(); }

private:
    void run_all();

    std::mutex mutex_;
    std::vector<work> waiting_;
    bool woken_ = false;
    std::vector<work> running_; // on the thread alone
    boost::asio::thread_pool thread_{1};
};

} // namespace ferry
