#include <ferry/middleware/receive/dead_letter.hpp>

#include <middleware/stage_support.hpp>

namespace ferry::middleware {
namespace {

class DeadLetter : public stage_test {
protected:
    dead_letter stage{bus};
};

TEST_F(DeadLetter, moves_what_nobody_settled_to_the_skipped_queue) { // B38
    receive_context& message = received([](envelope& each) { each.headers.set("own", 1); });
    run(stage, message);
    ASSERT_EQ(bus.sent.size(), 1U);
    EXPECT_EQ(bus.sent[0].destination, address::queue("billing_skipped"));
    EXPECT_EQ(bus.sent[0].kind, message_kind::publish);
    EXPECT_EQ(bus.sent[0].headers, (headers{{"own", 1}}));
    EXPECT_EQ(message.settled(), settlement::skipped);
}

TEST_F(DeadLetter, leaves_what_was_settled_alone) {
    receive_context& message = received();
    run(stage, message, [](receive_context& each) { each.settle(settlement::handled); });
    EXPECT_TRUE(bus.sent.empty());
    EXPECT_EQ(message.settled(), settlement::handled);
}

} // namespace
} // namespace ferry::middleware
