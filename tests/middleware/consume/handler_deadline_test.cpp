#include <ferry/handler.hpp>
#include <ferry/middleware/consume/handler_deadline.hpp>

#include <gmock/gmock.h>
#include <middleware/stage_support.hpp>
#include <support/eventually.hpp>

#include <atomic>
#include <stdexcept>
#include <thread>

namespace ferry::middleware {
namespace {

void await(const std::stop_token& stopping) {
    std::atomic<bool> stopped = false;
    const std::stop_callback on_stop{stopping, [&] {
                                         stopped = true;
                                         stopped.notify_all();
                                     }};
    stopped.wait(false);
}

class HandlerDeadline : public stage_test {
protected:
    void run_handler() { run_consumer(stage, received()); }
    /// Runs the handler while the clock goes on by `passed`.
    std::exception_ptr run_for(duration passed) {
        std::exception_ptr thrown;
        std::jthread slot{[&] {
            try {
                run_handler();
            } catch (...) {
                thrown = std::current_exception();
            }
        }};
        time.await_waiters();
        time.advance(passed);
        slot.join();
        return thrown;
    }

    timer_queue timers{clock{time}};
    handler_deadline stage{30s, clock{time}, timers};
};

TEST_F(HandlerDeadline, does_not_depend_on_a_timer_that_is_quick) {
    timers.stop();
    consume<order_placed>([&](const order_placed&, consume_context&) { time.advance(30s); });
    EXPECT_THROW(run_handler(), handler_timeout);
}

TEST_F(HandlerDeadline, leaves_a_handler_alone_that_is_quick_enough) {
    consume<order_placed>(
        [&](const order_placed&, consume_context& context) { EXPECT_FALSE(context.stopping().stop_requested()); });
    EXPECT_NO_THROW(run_handler());
}

TEST_F(HandlerDeadline, tells_a_handler_to_stop_and_fails_it_when_it_returns) {
    consume<order_placed>([&](const order_placed&, consume_context& context) { await(context.stopping()); });
    const std::exception_ptr thrown = run_for(30s);
    ASSERT_TRUE(thrown);
    try {
        std::rethrow_exception(thrown);
    } catch (const handler_timeout& late) {
        EXPECT_THAT(late.what(), ::testing::HasSubstr("consumer 0 took longer than the 30 s it has"));
        EXPECT_TRUE(late.is_transient());
    }
}

TEST_F(HandlerDeadline, keeps_what_a_late_handler_threw_inside) {
    consume<order_placed>([&](const order_placed&, consume_context& context) {
        await(context.stopping());
        throw std::runtime_error{"cancelled"};
    });
    try {
        std::rethrow_exception(run_for(30s));
    } catch (const handler_timeout& late) {
        EXPECT_THROW(std::rethrow_if_nested(late), std::runtime_error);
    }
}

TEST_F(HandlerDeadline, does_not_rename_what_a_quick_handler_throws) {
    consume<order_placed>([](const order_placed&, consume_context&) { throw std::logic_error{"own"}; });
    EXPECT_THROW(run_handler(), std::logic_error);
}

TEST_F(HandlerDeadline, still_tells_the_handler_that_the_bus_stops) {
    testing::watched<bool> begun{false};
    consume<order_placed>([&](const order_placed&, consume_context& context) {
        begun.change([](bool& yes) { yes = true; });
        await(context.stopping());
    });
    std::jthread slot{[&] { EXPECT_NO_THROW(run_handler()) << "stopping is no timeout"; }};
    ASSERT_TRUE(begun.eventually([](bool yes) { return yes; }));
    stopping.request_stop();
}

TEST_F(HandlerDeadline, is_absent_where_no_time_was_set) {
    EXPECT_FALSE(handler_deadline::from(consumer_settings{}, clock{time}, timers));
    EXPECT_TRUE(handler_deadline::from(consumer_settings{.handler_timeout = 1s}, clock{time}, timers));
}

} // namespace
} // namespace ferry::middleware
