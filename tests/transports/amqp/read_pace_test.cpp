#include <gtest/gtest.h>
#include <read_pace.hpp>

namespace ferry::amqp {
namespace {

using namespace std::chrono_literals;

constexpr arrival_rate::moment start{1h};

/// So many messages in each of ten milliseconds.
arrival_rate rate_of(std::size_t a_millisecond) {
    arrival_rate rate;
    for (int i = 0; i <= 10; ++i) {
        rate.note(a_millisecond, start + i * 1ms);
    }
    return rate;
}

std::chrono::microseconds pause_at(std::size_t a_millisecond, std::size_t prefetch) {
    read_pace pace;
    pace.include(rate_of(a_millisecond), prefetch);
    return pace.pause();
}

TEST(ArrivalRate, counts_for_a_millisecond_at_least) {
    arrival_rate rate;
    rate.note(0, start);
    rate.note(10, start + 400us);
    EXPECT_EQ(rate.a_second(), 0);
    rate.note(10, start + 1ms);
    EXPECT_DOUBLE_EQ(rate.a_second(), 20'000);
}

TEST(ArrivalRate, falls_when_nothing_comes) {
    arrival_rate rate = rate_of(50);
    EXPECT_DOUBLE_EQ(rate.a_second(), 50'000);
    rate.note(1, start + 1s);
    EXPECT_LT(rate.a_second(), 2);
}

TEST(ReadPace, lets_single_messages_come_at_once) {
    EXPECT_EQ(pause_at(0, 500), 0us);
    EXPECT_EQ(pause_at(1, 500), 0us);
    EXPECT_EQ(pause_at(5, 500), 0us) << "less than three in half a millisecond";
}

TEST(ReadPace, pauses_while_many_come) {
    EXPECT_EQ(pause_at(6, 500), 500us);
    EXPECT_EQ(pause_at(100, 500), 500us);
}

TEST(ReadPace, never_keeps_a_consumer_from_its_prefetch) {
    EXPECT_EQ(pause_at(100, 256), 320us) << "32 messages";
    EXPECT_EQ(pause_at(100, 32), 40us) << "4 messages";
    EXPECT_EQ(pause_at(100, 16), 0us) << "2 messages are not worth it";
    EXPECT_EQ(pause_at(100, 1), 0us);
}

TEST(ReadPace, goes_by_the_consumer_that_can_wait_least) {
    read_pace pace;
    pace.include(rate_of(100), 500);
    pace.include(rate_of(20), 16);
    EXPECT_EQ(pace.pause(), 100us);
    pace.include(rate_of(0), 1); // nothing comes for this one
    EXPECT_EQ(pace.pause(), 100us);
}

} // namespace
} // namespace ferry::amqp
