#include <ferry/testing/manual_clock.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <thread>

namespace ferry::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

class ManualClock : public ::testing::Test {
protected:
    /// A thread that waits until it is told to stop, or until then.
    [[nodiscard]] std::jthread waiting_for(duration length) {
        std::jthread waiter{
            [this, due = time.now() + length](const std::stop_token& stop) { time.wait_until(due, stop); }};
        time.await_waiter_for(time.now() + length);
        return waiter;
    }
    static std::string refused(const std::function<void()>& call) {
        try {
            call();
        } catch (const nobody_waits& thrown) {
            return thrown.what();
        }
        return "it was not refused";
    }

    manual_clock time;
};

TEST_F(ManualClock, moves_to_the_first_moment_that_is_waited_for) {
    const std::jthread late = waiting_for(2s);
    const std::jthread early = waiting_for(1s);
    EXPECT_EQ(time.advance_to_next(), 1s);
    EXPECT_EQ(time.advance_to_next(), 1s);
}

TEST_F(ManualClock, does_not_move_for_whoever_was_told_to_stop) {
    std::jthread first = waiting_for(1s);
    const std::jthread second = waiting_for(2s);
    first.request_stop();
    EXPECT_EQ(time.advance_to_next(), 2s);
}

TEST_F(ManualClock, says_so_when_nobody_waits) {
    const time_point start = time.now();
    EXPECT_THAT(refused([&] { time.advance_to_next(1ms); }),
                HasSubstr("looked 1 ms for somebody to wait, to move the clock there, but nobody waits for anything"));
    EXPECT_EQ(time.now(), start);
}

TEST_F(ManualClock, lists_what_is_waited_for_instead) {
    const std::jthread some = waiting_for(10s);
    const std::jthread others = waiting_for(1h);
    EXPECT_THAT(refused([&] { time.await_waiter_for(time.now() + 1s, 1ms); }),
                HasSubstr("for somebody to wait for what comes in 1 s, but waited for is what comes in 10 s, 1 h"));
    EXPECT_THAT(refused([&] { time.await_waiters(3, 1ms); }), HasSubstr("for 3 threads to wait, but waited for is"));
}

} // namespace
} // namespace ferry::testing
