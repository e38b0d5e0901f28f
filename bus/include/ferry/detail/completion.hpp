#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>

#include <exception>
#include <functional>
#include <utility>

namespace ferry::detail {

/// Where those are told how their operation ended who do not say where they want to be told.
class completions {
public:
    virtual void begin_operation() noexcept = 0;
    /// Calls `tell` on a thread of its own, in time if not at once.
    virtual void end_operation(std::move_only_function<void()> tell) = 0;

protected:
    ~completions() = default;
};

/// An Asio completion handler that is called once, on its own executor, from wherever the operation ended, and never
/// from inside the call that began it. Until then it counts as outstanding work there, so that the caller's `run()`
/// does not return too early.
template <typename Handler> class posted_completion {
    using executor_type = boost::asio::associated_executor_t<Handler, boost::asio::any_io_executor>;

public:
    posted_completion(Handler handler, const boost::asio::any_io_executor& fallback)
        : handler_{std::move(handler)}, work_{boost::asio::get_associated_executor(handler_, fallback)} {}

    /// Runs `cancel` when the caller cancels the operation.
    template <typename Cancel> void on_cancel(Cancel cancel) {
        auto slot = boost::asio::get_associated_cancellation_slot(handler_);
        if (slot.is_connected()) {
            slot.assign([cancel = std::move(cancel)](boost::asio::cancellation_type) { cancel(); });
        }
    }

    template <typename... Values> void operator()(std::exception_ptr failure, Values... values) {
        // Held until `post` has returned: the caller may destroy its context as soon as `run()` has.
        const auto work = std::move(work_);
        boost::asio::post(work.get_executor(), [handler = std::move(handler_), failure = std::move(failure),
                                                ... values = std::move(values)]() mutable {
            if (auto slot = boost::asio::get_associated_cancellation_slot(handler); slot.is_connected()) {
                slot.clear();
            }
            std::move(handler)(std::move(failure), std::move(values)...);
        });
    }

private:
    Handler handler_;
    boost::asio::executor_work_guard<executor_type> work_;
};

} // namespace ferry::detail
