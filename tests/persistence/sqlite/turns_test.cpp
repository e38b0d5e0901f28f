#include "turns.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <support/eventually.hpp>

#include <thread>
#include <vector>

namespace ferry::sqlite {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

TEST(Turns, come_one_after_the_other) {
    turns line;
    {
        const auto first = line.wait(0s);
        EXPECT_TRUE(first);
        EXPECT_FALSE(line.wait(0s));
        EXPECT_FALSE(line.wait(1ms));
    }
    EXPECT_TRUE(line.wait(0s));
}

TEST(Turns, are_known_to_the_thread_that_has_one) {
    turns line;
    EXPECT_FALSE(line.is_mine());
    {
        const auto turn = line.wait(0s);
        EXPECT_TRUE(line.is_mine());
        std::jthread{[&] { EXPECT_FALSE(line.is_mine()); }};
    }
    EXPECT_FALSE(line.is_mine());
}

TEST(Turns, come_in_the_order_of_asking) {
    turns line;
    testing::watched<std::vector<int>> order;
    auto first = line.wait(0s);
    std::vector<std::jthread> threads;
    for (int i = 0; i < 5; ++i) {
        threads.emplace_back([&line, &order, i] {
            const auto turn = line.wait(duration::max());
            order.change([i](auto& all) { all.push_back(i); });
        });
        ASSERT_TRUE(testing::eventually([&] { return line.waiting_for_one() == static_cast<std::size_t>(i) + 1; }));
    }

    first.reset();

    ASSERT_TRUE(order.eventually([](const auto& all) { return all.size() == 5; }));
    EXPECT_THAT(order.get(), ElementsAre(0, 1, 2, 3, 4));
}

TEST(Turns, go_past_those_who_have_given_up) {
    turns line;
    auto first = line.wait(0s);
    std::jthread{[&] { EXPECT_FALSE(line.wait(1ms)); }}.join();
    EXPECT_EQ(line.waiting_for_one(), 0U);

    first.reset();

    EXPECT_TRUE(line.wait(0s));
}

} // namespace ferry::sqlite
