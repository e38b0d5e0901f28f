#include <ferry/delay_schedule.hpp>

#include <gmock/gmock.h>

namespace ferry {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

std::vector<duration> delays(const delay_schedule& schedule, double chance = 0) {
    std::vector<duration> all;
    for (int i = 1; i <= schedule.attempts; ++i) {
        all.push_back(schedule.delay(i, chance));
    }
    return all;
}

delay_schedule growing(backoff growth) {
    return {.attempts = 4, .base_delay = 100ms, .growth = growth, .jitter = 0.25, .max_delay = 30s, .intervals = {}};
}

TEST(DelaySchedule, stays_grows_evenly_or_doubles) { // B20
    EXPECT_THAT(delays(growing(backoff::constant)), ElementsAre(100ms, 100ms, 100ms, 100ms));
    EXPECT_THAT(delays(growing(backoff::linear)), ElementsAre(100ms, 200ms, 300ms, 400ms));
    EXPECT_THAT(delays(growing(backoff::exponential)), ElementsAre(100ms, 200ms, 400ms, 800ms));
}

TEST(DelaySchedule, varies_by_its_jitter) { // B20
    EXPECT_THAT(delays(growing(backoff::constant), 1), ElementsAre(125ms, 125ms, 125ms, 125ms));
    EXPECT_THAT(delays(growing(backoff::constant), -1), ElementsAre(75ms, 75ms, 75ms, 75ms));
}

TEST(DelaySchedule, is_capped_after_jitter) { // B20
    delay_schedule schedule = growing(backoff::exponential);
    schedule.max_delay = 400ms;
    EXPECT_THAT(delays(schedule, 1), ElementsAre(125ms, 250ms, 400ms, 400ms));
    EXPECT_THAT(delays(schedule, -1), ElementsAre(75ms, 150ms, 300ms, 400ms));
}

TEST(DelaySchedule, does_not_overflow) { // B20
    delay_schedule schedule = growing(backoff::exponential);
    schedule.attempts = 5000;
    EXPECT_EQ(schedule.delay(5000, 1), 30s);
    schedule.max_delay = duration::max();
    EXPECT_EQ(schedule.delay(5000, 1), duration::max());
}

TEST(DelaySchedule, takes_explicit_intervals_as_they_are) { // B21
    const delay_schedule schedule = delay_schedule::exactly({30s, 5min, 2h});
    EXPECT_EQ(schedule.attempts, 3);
    EXPECT_THAT(delays(schedule, 1), ElementsAre(30s, 5min, 2h));
    EXPECT_THAT(delays(schedule, -1), ElementsAre(30s, 5min, 2h));
}

TEST(DelaySchedule, has_the_promised_defaults) {
    EXPECT_THAT(delays(default_retries()), ElementsAre(200ms, 400ms, 800ms));
    EXPECT_EQ(default_retries().max_delay, 30s);
    EXPECT_THAT(delays(default_redeliveries()), ElementsAre(5min, 15min, 30min));
    EXPECT_EQ(default_redeliveries().delay(3, 1), 37min + 30s);
    EXPECT_EQ(default_redeliveries().max_delay, 1h);
}

TEST(DelaySchedule, knows_its_longest_wait) {
    EXPECT_EQ(default_retries().longest(), 1s); // 800 ms and its jitter
    EXPECT_EQ(default_redeliveries().longest(), 37min + 30s);
    EXPECT_EQ(delay_schedule::exactly({1s, 5s, 2s}).longest(), 5s);
    EXPECT_EQ((delay_schedule{.attempts = 20, .max_delay = 7s}.longest()), 7s);
    EXPECT_EQ((delay_schedule{.attempts = 0}.longest()), 0s);
}

TEST(DelaySchedule, says_what_cannot_work) { // B9
    std::vector<std::string> problems;
    delay_schedule{.attempts = 0}.validate("x", problems);
    delay_schedule{.base_delay = -1ms}.validate("x", problems);
    delay_schedule{.base_delay = 2s, .max_delay = 1s}.validate("x", problems);
    delay_schedule{.jitter = 1.5}.validate("x", problems);
    delay_schedule::exactly({1s, -1s}).validate("x", problems);
    EXPECT_THAT(problems,
                ElementsAre("x: 0 attempts are none; ask for 1 or more, or leave it away",
                            "x: a delay is negative; set it to zero or more",
                            "x: the longest delay is below the base delay; raise max_delay or lower base_delay",
                            "x: the jitter is a part of the delay; set it between 0 and 1",
                            "x: a delay is negative; set it to zero or more"));
}

TEST(DelaySchedule, reads_like_a_sentence) {
    EXPECT_EQ(default_retries().text(), "3 x 200 ms exponential");
    EXPECT_EQ(default_redeliveries().text(), "5 min, 15 min, 30 min");
    EXPECT_EQ(to_text(0s), "0 s");
    EXPECT_EQ(to_text(90min), "90 min");
    EXPECT_EQ(to_text(1500us), "1500 us");
}

} // namespace
} // namespace ferry
