#include "completion_queue.hpp"

#include <boost/asio/execution/blocking.hpp>
#include <boost/asio/execution/context.hpp>
#include <boost/asio/post.hpp>

namespace ferry {

namespace {

/// The queue as Asio wants to see it.
class queue_executor {
public:
    queue_executor(completion_queue& queue, boost::asio::thread_pool& thread) noexcept
        : queue_{&queue}, thread_{&thread} {}

    [[nodiscard]] boost::asio::execution_context& query(boost::asio::execution::context_t) const noexcept {
        return *thread_;
    }
    static constexpr boost::asio::execution::blocking_t query(boost::asio::execution::blocking_t) noexcept {
        return boost::asio::execution::blocking.never;
    }
    [[nodiscard]] queue_executor require(boost::asio::execution::blocking_t::never_t) const noexcept { return *this; }
    template <typename Function> void execute(Function&& function) const {
        queue_->add(std::forward<Function>(function));
    }

    friend bool operator==(const queue_executor&, const queue_executor&) noexcept = default;

private:
    completion_queue* queue_;
    boost::asio::thread_pool* thread_;
};

} // namespace

boost::asio::any_io_executor completion_queue::executor() { return queue_executor{*this, thread_}; }

void completion_queue::add(work next) {
    bool wake = false;
    {
        const std::scoped_lock lock{mutex_};
        waiting_.push_back(std::move(next));
        wake = !std::exchange(woken_, true);
    }
    if (wake) {
        boost::asio::post(thread_, [this] { run_all(); });
    }
}

void completion_queue::run_all() {
    {
        const std::scoped_lock lock{mutex_};
        running_.swap(waiting_);
        woken_ = false;
    }
    for (work& each : running_) {
        each();
    }
    running_.clear();
}

} // namespace ferry
