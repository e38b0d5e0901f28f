#include "foreign_correlations.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace ferry::amqp {
namespace {

uuid id_of(std::uint8_t number) { return uuid{std::array<std::uint8_t, 16>{number}}; }

TEST(ForeignCorrelations, know_nothing_in_the_beginning) { EXPECT_EQ(foreign_correlations{}.text_of(id_of(1)), ""); }

TEST(ForeignCorrelations, give_back_the_text_of_an_id_as_often_as_asked) {
    foreign_correlations known;
    known.remember(id_of(1), "order 17");
    known.remember(id_of(2), "order 18");
    EXPECT_EQ(known.text_of(id_of(1)), "order 17");
    EXPECT_EQ(known.text_of(id_of(1)), "order 17");
    EXPECT_EQ(known.text_of(id_of(2)), "order 18");
    EXPECT_EQ(known.text_of(id_of(3)), "");
}

TEST(ForeignCorrelations, have_the_latest_text_of_an_id) {
    foreign_correlations known;
    known.remember(id_of(1), "ABC");
    known.remember(id_of(1), "{abc}");
    EXPECT_EQ(known.text_of(id_of(1)), "{abc}");
}

TEST(ForeignCorrelations, forget_the_oldest_when_there_are_too_many) {
    foreign_correlations known{2};
    known.remember(id_of(1), "one");
    known.remember(id_of(2), "two");
    known.remember(id_of(3), "three");
    EXPECT_EQ(known.text_of(id_of(1)), "");
    EXPECT_EQ(known.text_of(id_of(2)), "two");
    EXPECT_EQ(known.text_of(id_of(3)), "three");
}

TEST(ForeignCorrelations, keep_what_was_delivered_again_for_longer) {
    foreign_correlations known{2};
    known.remember(id_of(1), "one");
    known.remember(id_of(2), "two");
    known.remember(id_of(1), "one");
    known.remember(id_of(3), "three");
    EXPECT_EQ(known.text_of(id_of(1)), "one");
    EXPECT_EQ(known.text_of(id_of(2)), "");
}

TEST(ForeignCorrelations, can_be_asked_while_they_are_filled) {
    foreign_correlations known{100};
    std::vector<std::jthread> threads;
    for (std::uint8_t thread = 0; thread < 4; ++thread) {
        threads.emplace_back([&known, thread] {
            for (int i = 0; i < 1'000; ++i) {
                const auto number = static_cast<std::uint8_t>(i * 4 + thread);
                known.remember(id_of(number), std::to_string(number));
                EXPECT_THAT(known.text_of(id_of(number)), ::testing::AnyOf("", std::to_string(number)));
            }
        });
    }
}

} // namespace
} // namespace ferry::amqp
