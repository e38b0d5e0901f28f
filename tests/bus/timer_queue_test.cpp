#include <ferry/testing/manual_clock.hpp>
#include <ferry/timer_queue.hpp>

#include <gtest/gtest.h>
#include <support/eventually.hpp>

#include <memory>
#include <vector>

namespace ferry {
namespace {

using namespace std::chrono_literals;

class TimerQueue : public ::testing::Test {
protected:
    void note(int number) {
        ran.change([&](std::vector<int>& all) { all.push_back(number); });
    }
    [[nodiscard]] bool reaches(std::size_t count) const {
        return ran.eventually([&](const std::vector<int>& all) { return all.size() >= count; });
    }

    testing::manual_clock time;
    testing::watched<std::vector<int>> ran;
    timer_queue timers{clock{time}};
};

TEST_F(TimerQueue, runs_actions_in_due_order_and_in_the_order_they_came) {
    timers.at(time.now() + 2s, [this] { note(3); });
    timers.at(time.now() + 1s, [this] { note(1); });
    timers.at(time.now() + 1s, [this] { note(2); });
    time.advance(2s);
    ASSERT_TRUE(reaches(3));
    EXPECT_EQ(ran.get(), (std::vector<int>{1, 2, 3}));
}

TEST_F(TimerQueue, runs_nothing_before_its_time) {
    timers.at(time.now() + 2s, [this] { note(2); });
    time.await_waiter_for(time.now() + 2s);
    timers.at(time.now() + 1s, [this] { note(1); });
    time.await_waiter_for(time.now() + 1s); // the sleeper has turned to the earlier one
    time.advance(1s);
    ASSERT_TRUE(reaches(1));
    EXPECT_EQ(ran.get(), std::vector<int>{1});
}

TEST_F(TimerQueue, runs_at_once_what_is_late_already) {
    timers.soon([this] { note(1); });
    timers.at(time.now() - 1s, [this] { note(2); });
    EXPECT_TRUE(reaches(2));
}

TEST_F(TimerQueue, forgets_what_is_cancelled) {
    const auto first = timers.at(time.now() + 1s, [this] { note(1); });
    timers.at(time.now() + 1s, [this] { note(2); });
    EXPECT_TRUE(timers.cancel(first));
    EXPECT_FALSE(timers.cancel(first));
    time.advance(1s);
    ASSERT_TRUE(reaches(1));
    EXPECT_EQ(ran.get(), std::vector<int>{2});
}

TEST_F(TimerQueue, waits_for_nothing_that_is_cancelled) {
    const auto first = timers.at(time.now() + 1s, [this] { note(1); });
    time.await_waiter_for(time.now() + 1s);
    const auto second = timers.at(time.now() + 2s, [this] { note(2); });
    timers.cancel(first);
    time.await_waiter_for(time.now() + 2s); // the sleeper has turned to the later one
    timers.cancel(second);
    EXPECT_THROW(time.advance_to_next(0ms), testing::nobody_waits);
}

TEST_F(TimerQueue, lets_an_action_set_the_next) {
    timers.soon([this] { timers.soon([this] { note(1); }); });
    EXPECT_TRUE(reaches(1));
}

TEST_F(TimerQueue, runs_what_is_due_before_what_may_run_soon) {
    timers.soon([this] {
        timers.at(time.now() - 1s, [this] { note(1); });
        timers.soon([this] { note(2); });
    });
    ASSERT_TRUE(reaches(2));
    EXPECT_EQ(ran.get(), (std::vector<int>{1, 2}));
}

TEST_F(TimerQueue, drops_what_is_not_due_when_it_ends) {
    const auto kept = std::make_shared<int>(1);
    {
        timer_queue ending{clock{time}};
        ending.at(time.now() + 1h, [kept] {});
        EXPECT_EQ(kept.use_count(), 2);
    }
    EXPECT_EQ(kept.use_count(), 1);
}

} // namespace
} // namespace ferry
