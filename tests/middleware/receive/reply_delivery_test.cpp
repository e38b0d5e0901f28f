#include <ferry/middleware/receive/reply_delivery.hpp>

#include <middleware/stage_support.hpp>

namespace ferry::middleware {
namespace {

class waiting_callers final : public reply_sink {
public:
    bool complete(const envelope&) override { return somebody_waits; }
    bool somebody_waits = true;
};

class ReplyDelivery : public stage_test {
protected:
    waiting_callers callers;
    reply_delivery stage{callers, counters};
};

TEST_F(ReplyDelivery, hands_the_reply_to_whoever_asked) { // B2
    receive_context& message = received();
    run(stage, message);
    EXPECT_EQ(message.settled(), settlement::handled);
    EXPECT_EQ(counters.late_replies, 0U);
}

TEST_F(ReplyDelivery, counts_and_forgets_one_nobody_waits_for) { // B13
    callers.somebody_waits = false;
    receive_context& message = received();
    run(stage, message);
    EXPECT_EQ(message.settled(), settlement::discarded);
    EXPECT_EQ(counters.late_replies, 1U);
}

} // namespace
} // namespace ferry::middleware
