#include "reconnect_schedule.hpp"

#include <gmock/gmock.h>

namespace ferry::amqp {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

std::vector<std::size_t> servers(reconnect_schedule& schedule, int attempts, double random) {
    std::vector<std::size_t> all;
    for (int i = 0; i < attempts; ++i) {
        all.push_back(schedule.next(random).server);
    }
    return all;
}

std::vector<duration> waits(reconnect_schedule& schedule, int attempts, double random) {
    std::vector<duration> all;
    for (int i = 0; i < attempts; ++i) {
        all.push_back(schedule.next(random).wait);
    }
    return all;
}

TEST(ReconnectSchedule, tries_all_servers_in_turn) {
    reconnect_schedule schedule{3};
    EXPECT_THAT(servers(schedule, 7, 0), ElementsAre(0, 1, 2, 0, 1, 2, 0));
}

TEST(ReconnectSchedule, begins_with_any_server) {
    struct example {
        double random;
        std::size_t server;
    };
    for (const example& each : {example{0, 0}, example{0.24, 0}, example{0.25, 1}, example{0.5, 2}, example{0.76, 3},
                                example{0.9999, 3}, example{1, 3}}) {
        EXPECT_EQ(reconnect_schedule{4}.next(each.random).server, each.server) << each.random;
    }
}

TEST(ReconnectSchedule, keeps_the_order_whatever_the_later_numbers) {
    reconnect_schedule schedule{3};
    EXPECT_EQ(schedule.next(0.5).server, 1U);
    EXPECT_THAT(servers(schedule, 4, 0.9), ElementsAre(2, 0, 1, 2));
}

TEST(ReconnectSchedule, waits_before_each_further_round_and_longer_each_time) {
    reconnect_schedule schedule{2};
    EXPECT_THAT(waits(schedule, 8, 1), ElementsAre(0ms, 0ms, 200ms, 0ms, 400ms, 0ms, 800ms, 0ms));
}

TEST(ReconnectSchedule, spreads_the_waits_over_their_second_half) {
    for (const auto& [random, expected] : {std::pair{0.0, 100ms}, std::pair{0.5, 150ms}, std::pair{1.0, 200ms}}) {
        reconnect_schedule schedule{1};
        EXPECT_THAT(waits(schedule, 3, random), ElementsAre(0ms, expected, 2 * expected));
    }
}

TEST(ReconnectSchedule, waits_no_longer_than_the_cap) {
    reconnect_schedule schedule{1};
    (void)waits(schedule, 100, 1);
    EXPECT_EQ(schedule.next(1).wait, 30s);
    EXPECT_EQ(schedule.next(0).wait, 15s);
}

TEST(ReconnectSchedule, takes_other_waits) {
    reconnect_schedule schedule{1, {.base_delay = 1s, .max_delay = 3s}};
    EXPECT_THAT(waits(schedule, 5, 1), ElementsAre(0s, 1s, 2s, 3s, 3s));
    reconnect_schedule eager{1, {.base_delay = 0s, .max_delay = 0s}};
    EXPECT_THAT(waits(eager, 3, 1), ElementsAre(0s, 0s, 0s));
    reconnect_schedule endless{1, {.base_delay = 1s, .max_delay = duration::max()}};
    (void)waits(endless, 100, 1);
    EXPECT_GT(endless.next(1).wait, duration::max() - 2ns);
}

TEST(ReconnectSchedule, starts_over_after_success) {
    reconnect_schedule schedule{2};
    (void)waits(schedule, 9, 0);
    schedule.worked_for(1h);
    const reconnect_schedule::attempt first = schedule.next(0.5);
    EXPECT_EQ(first.server, 1U) << "any, not the one it had";
    EXPECT_EQ(first.wait, 0s);
    EXPECT_THAT(waits(schedule, 3, 1), ElementsAre(0ms, 200ms, 0ms));
}

TEST(ReconnectSchedule, goes_on_when_connections_last_no_longer_than_it_waits) {
    reconnect_schedule schedule{1};
    (void)waits(schedule, 6, 1); // the last one 3.2 s
    schedule.worked_for(3s);
    EXPECT_EQ(schedule.next(1).wait, 6400ms);
    schedule.worked_for(7s);
    EXPECT_EQ(schedule.next(1).wait, 0s);
    schedule.worked_for(900ms);
    EXPECT_EQ(schedule.next(1).wait, 200ms) << "to be quick is no success";
}

} // namespace
} // namespace ferry::amqp
