#include "completion_queue.hpp"

#include <ferry/detail/brief_lock.hpp>
#include <ferry/exception_summary.hpp>

#include <boost/asio/execution/blocking.hpp>
#include <boost/asio/execution/context.hpp>

#include <algorithm>
#include <utility>

namespace ferry {

namespace {

// An eighth of what is out: the rest keeps the broker busy while the thread comes.
constexpr std::size_t parts_of_what_is_out = 8;

/// The queue as Asio wants to see it.
class queue_executor {
public:
    queue_executor(completion_queue& queue, boost::asio::execution_context& context) noexcept
        : queue_{&queue}, context_{&context} {}

    [[nodiscard]] boost::asio::execution_context& query(boost::asio::execution::context_t) const noexcept {
        return *context_;
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
    boost::asio::execution_context* context_;
};

} // namespace

boost::asio::any_io_executor completion_queue::executor() { return queue_executor{*this, context_}; }

void completion_queue::add(work next) {
    guard lock = detail::lock_briefly(mutex_);
    waiting_.push_back(std::move(next));
    if (state_ != thread_state::working) {
        wake(lock);
    }
}

void completion_queue::end_operation(work tell) {
    guard lock = detail::lock_briefly(mutex_);
    waiting_.push_back(std::move(tell));
    if (state_ == thread_state::sleeping || (state_ == thread_state::resting && enough_has_come())) {
        wake(lock);
    }
    --out_;
}

bool completion_queue::enough_has_come() const noexcept { return waiting_.size() >= out_ / parts_of_what_is_out; }

void completion_queue::wake(guard& lock) {
    state_ = thread_state::working; // so that nobody else does the same
    lock.unlock();
    arrived_.notify_one();
}

void completion_queue::run() {
    guard lock{mutex_};
    while (wait_for_work(lock)) {
        running_.swap(waiting_);
        lock.unlock();
        for (work& each : running_) {
            run(each);
            each = nullptr; // nobody should wait for the next one to let go of what this one holds
        }
        running_.clear();
        lock.lock();
    }
}

// There is no caller it could reach, and one handler's failure is not the end of a service.
void completion_queue::run(work& next) {
    try {
        next();
    } catch (...) {
        const exception_summary thrown = summary_of(std::current_exception());
        log_(log_level::error, "a completion handler threw " + thrown.type + ": " + thrown.text +
                                   "; nobody hears of that, so catch it inside the handler");
    }
}

bool completion_queue::wait_for_work(guard& lock) {
    if (waiting_.empty() && !closed_ && out_ >= parts_of_what_is_out) {
        state_ = thread_state::resting;
        arrived_.wait_for(lock, moment_, [this] { return state_ == thread_state::working || closed_; });
    }
    if (waiting_.empty() && !closed_) {
        state_ = thread_state::sleeping;
        arrived_.wait(lock, [this] { return !waiting_.empty() || closed_; });
    }
    state_ = thread_state::working;
    return !waiting_.empty();
}

void completion_queue::join() {
    {
        const guard lock{mutex_};
        closed_ = true;
    }
    arrived_.notify_one();
    if (thread_.joinable()) {
        thread_.join();
    }
}

} // namespace ferry
