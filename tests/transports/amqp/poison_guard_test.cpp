#include "poison_guard.hpp"

#include <ferry/header_names.hpp>

#include <gmock/gmock.h>

namespace ferry::amqp {
namespace {

using namespace std::chrono_literals;
using enum poison_guard::advice;

TEST(PoisonGuard, hands_out_what_comes_for_the_first_time) {
    EXPECT_EQ(poison_guard{3}.about(false, 0, 0), hand_out);
    EXPECT_EQ(poison_guard{3}.earlier_deliveries(false, 0, 0), 0U);
}

TEST(PoisonGuard, counts_what_comes_again_up_to_the_limit) {
    const poison_guard guard{3};
    EXPECT_EQ(guard.about(true, 0, 0), count);
    EXPECT_EQ(guard.about(true, 0, 2), count);
    EXPECT_EQ(guard.about(true, 0, 3), give_up);
    EXPECT_EQ(guard.earlier_deliveries(true, 0, 2), 3U);
}

TEST(PoisonGuard, hands_out_the_copy_it_has_counted) {
    EXPECT_EQ(poison_guard{3}.about(false, 0, 3), hand_out);
    EXPECT_EQ(poison_guard{3}.earlier_deliveries(false, 0, 3), 3U);
}

TEST(PoisonGuard, leaves_it_to_a_queue_that_counts_itself) {
    EXPECT_EQ(poison_guard{3}.about(true, 5, 0), hand_out);
    EXPECT_EQ(poison_guard{3}.earlier_deliveries(true, 5, 0), 5U);
}

TEST(PoisonGuard, without_a_limit_hands_out_everything) {
    for (const std::optional<int> limit : {std::optional<int>{}, std::optional{-1}}) {
        EXPECT_EQ(poison_guard{limit}.about(true, 0, 1000), hand_out);
        EXPECT_EQ(poison_guard{limit}.earlier_deliveries(true, 0, 1000), 1U) << "nobody has counted";
    }
}

TEST(PoisonGuard, with_a_limit_of_zero_gives_up_at_once) { EXPECT_EQ(poison_guard{0}.about(true, 0, 0), give_up); }

TEST(PoisonGuard, keeps_everything_but_the_count_in_a_copy) { // B3
    envelope message;
    message.message_type = "urn:message:shop:order-placed";
    message.destination = address::exchange("shop.order-placed");
    message.body.assign("{}");
    const envelope copy = counted_copy(message, 2);
    EXPECT_EQ(copy.destination, message.destination);
    EXPECT_EQ(copy.delivery_count, 2U);
    EXPECT_EQ(copy.message_type, message.message_type);
    EXPECT_EQ(copy.body.view(), "{}");
}

TEST(PoisonGuard, says_in_a_dead_letter_why_and_starts_counting_anew) {
    envelope message;
    message.delivery_count = 3;
    const envelope dead = poisonous_copy(message, "billing", "billing_error", 4, time_point{} + 1s);
    EXPECT_EQ(dead.kind, message_kind::fault);
    EXPECT_EQ(dead.destination, address::queue("billing_error"));
    EXPECT_EQ(dead.delivery_count, 0U) << "or it would be given up at once when somebody puts it back";
    EXPECT_THAT(*dead.headers.find(ferry::header_names::fault_message)->as<std::string>(),
                ::testing::HasSubstr("handed out 4 times"));
    EXPECT_EQ(*dead.headers.find(ferry::header_names::fault_endpoint), header_value{"billing"});
}

} // namespace
} // namespace ferry::amqp
