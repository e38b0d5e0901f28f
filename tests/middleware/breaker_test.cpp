#include <ferry/middleware/breaker.hpp>

#include <gtest/gtest.h>

namespace ferry::middleware {
namespace {

using namespace std::chrono_literals;

class Breaker : public ::testing::Test {
protected:
    /// A message that is admitted and ends at once; whether that changed the state.
    bool fail() { return subject.failed(subject.admits(now).value(), now); }
    bool succeed() { return subject.succeeded(subject.admits(now).value(), now); }
    void fail(int times) {
        for (int i = 0; i < times; ++i) {
            (void)fail();
        }
    }
    void succeed(int times) {
        for (int i = 0; i < times; ++i) {
            (void)succeed();
        }
    }
    void open_it() { fail(10); }

    time_point now{24h};
    breaker subject{breaker_settings{}}; // a half of at least ten within ten seconds, for thirty
};

TEST_F(Breaker, stays_closed_below_the_minimum) { // B45
    fail(9);
    EXPECT_EQ(subject.state(), breaker_state::closed);
    EXPECT_TRUE(subject.admits(now));
}

TEST_F(Breaker, opens_when_the_ratio_is_reached_after_the_minimum) { // B44
    succeed(5);
    fail(4);
    EXPECT_EQ(subject.state(), breaker_state::closed);
    EXPECT_TRUE(fail());
    EXPECT_EQ(subject.state(), breaker_state::open);
    EXPECT_EQ(subject.open_until(), now + 30s);
}

TEST_F(Breaker, stays_closed_below_the_ratio) { // B44
    succeed(60);
    fail(50);
    EXPECT_EQ(subject.state(), breaker_state::closed);
}

TEST_F(Breaker, forgets_what_is_older_than_the_window) { // B45
    fail(9);
    now += 10s;
    fail(1);
    EXPECT_EQ(subject.state(), breaker_state::closed);
    EXPECT_EQ(subject.seen(now).failed, 1U);
    now += 5s;
    fail(8);
    EXPECT_EQ(subject.state(), breaker_state::closed);
    fail(1);
    EXPECT_EQ(subject.state(), breaker_state::open);
}

TEST_F(Breaker, admits_nothing_until_the_break_is_over_and_then_one) { // B44
    open_it();
    EXPECT_FALSE(subject.admits(now + 30s - 1ns));
    EXPECT_TRUE(subject.admits(now + 30s));
    EXPECT_EQ(subject.state(), breaker_state::half_open);
    EXPECT_FALSE(subject.admits(now + 30s)) << "only the test";
}

TEST_F(Breaker, closes_when_the_test_succeeds) { // B44
    open_it();
    now += 30s;
    EXPECT_TRUE(succeed());
    EXPECT_EQ(subject.state(), breaker_state::closed);
    fail(9);
    EXPECT_EQ(subject.state(), breaker_state::closed) << "it begins from nothing";
}

TEST_F(Breaker, opens_again_when_the_test_fails) { // B44
    open_it();
    now += 31s;
    EXPECT_TRUE(fail());
    EXPECT_EQ(subject.state(), breaker_state::open);
    EXPECT_EQ(subject.open_until(), now + 30s);
}

TEST_F(Breaker, tests_again_when_the_test_said_nothing) {
    open_it();
    now += 30s;
    subject.said_nothing(subject.admits(now).value());
    EXPECT_TRUE(subject.admits(now));
}

TEST_F(Breaker, is_not_confused_by_messages_that_end_while_it_is_open) {
    const breaker::period before = subject.admits(now).value();
    open_it();
    now += 1s;
    for (int i = 0; i < 20; ++i) {
        EXPECT_FALSE(subject.failed(before, now));
        EXPECT_FALSE(subject.succeeded(before, now));
        subject.said_nothing(before);
    }
    EXPECT_EQ(subject.state(), breaker_state::open);
    EXPECT_EQ(subject.open_until(), now + 29s);
}

TEST_F(Breaker, listens_to_the_test_alone_while_that_runs) { // B44
    const breaker::period before = subject.admits(now).value();
    open_it();
    now += 30s;
    const breaker::period test = subject.admits(now).value();
    EXPECT_FALSE(subject.succeeded(before, now)) << "it began before the break";
    EXPECT_FALSE(subject.failed(before, now));
    subject.said_nothing(before);
    EXPECT_EQ(subject.state(), breaker_state::half_open);
    EXPECT_TRUE(subject.succeeded(test, now));
    EXPECT_FALSE(subject.failed(before, now));
    EXPECT_EQ(subject.seen(now).failed, 0U);
}

TEST_F(Breaker, survives_a_clock_that_is_set_back) {
    fail(5);
    now -= 1h;
    fail(5);
    EXPECT_EQ(subject.state(), breaker_state::open);
}

} // namespace
} // namespace ferry::middleware
