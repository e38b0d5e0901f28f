#include <ferry/consumer.hpp>
#include <ferry/delay_schedule.hpp>
#include <ferry/handler.hpp>
#include <ferry/middleware/consume/handler_deadline.hpp>

#include <atomic>
#include <memory>

namespace ferry::middleware {

namespace {

/// One handler's allotted time. It may be over while the timer's thread is just saying so, hence shared with it.
class allotted_time {
public:
    allotted_time(time_point end, clock now, timer_queue& timers)
        : end_{end}, now_{now}, timers_{timers}, timer_{timers.at(end, [state = state_] {
              state->over = true;
              state->stop.request_stop();
          })} {}
    allotted_time(const allotted_time&) = delete;
    allotted_time& operator=(const allotted_time&) = delete;
    ~allotted_time() { timers_.cancel(timer_); }

    [[nodiscard]] std::stop_source& stop() noexcept { return state_->stop; }
    /// The timer's thread may be late, hence the look at the clock.
    [[nodiscard]] bool over() const noexcept { return state_->over || now_() >= end_; }

private:
    struct shared_state {
        std::stop_source stop;
        std::atomic<bool> over{false};
    };

    std::shared_ptr<shared_state> state_ = std::make_shared<shared_state>();
    time_point end_;
    clock now_;
    timer_queue& timers_;
    timer_queue::timer timer_;
};

/// Lets the handler look at this token for as long as it runs.
class other_token {
public:
    other_token(consume_context& message, std::stop_token token) : message_{message}, token_{std::move(token)} {
        message_.stop_with(&token_);
    }
    other_token(const other_token&) = delete;
    other_token& operator=(const other_token&) = delete;
    ~other_token() { message_.stop_with(nullptr); }

private:
    consume_context& message_;
    std::stop_token token_;
};

} // namespace

std::optional<handler_deadline> handler_deadline::from(const consumer_settings& consumer, clock now,
                                                       timer_queue& timers) {
    return consumer.handler_timeout
               ? std::optional<handler_deadline>{std::in_place, *consumer.handler_timeout, now, timers}
               : std::nullopt;
}

void handler_deadline::operator()(consume_context& message, next<consume_context> next) const {
    allotted_time time{later(now_(), longest_), now_, *timers_};
    const std::stop_callback bus_stops{message.stopping(), [&time] { time.stop().request_stop(); }};
    const other_token token{message, time.stop().get_token()};
    const auto timeout = [&] {
        return handler_timeout{"the handler of consumer " + message.consumer().name() + " took longer than the " +
                               to_text(longest_) + " it has; let it look at context.stopping(), or allow it more"};
    };
    try {
        next(message);
    } catch (...) {
        if (time.over()) {
            std::throw_with_nested(timeout());
        }
        throw;
    }
    if (time.over()) {
        throw timeout();
    }
}

} // namespace ferry::middleware
