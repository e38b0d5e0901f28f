#include <ferry/middleware/receive/expiry.hpp>

#include <middleware/stage_support.hpp>

namespace ferry::middleware {
namespace {

class Expiry : public stage_test {
protected:
    receive_context& due(time_point deadline) {
        return received([&](envelope& message) { message.deliver_by = deadline; });
    }
    expiry stage{clock{time}};
};

TEST_F(Expiry, settles_a_message_past_its_deadline) { // B42
    receive_context& message = due(time.now() - 1ns);
    run(stage, message);
    EXPECT_EQ(passed_on, 0);
    EXPECT_EQ(message.settled(), settlement::expired);
}

TEST_F(Expiry, lets_a_message_through_at_its_deadline) { // B42
    receive_context& message = due(time.now());
    run(stage, message);
    EXPECT_EQ(passed_on, 1);
    EXPECT_FALSE(message.settled());
}

TEST_F(Expiry, lets_a_message_without_a_deadline_through) {
    run(stage, received());
    EXPECT_EQ(passed_on, 1);
}

TEST_F(Expiry, does_not_care_whether_the_body_can_be_read) { // B42
    receive_context& message = received([&](envelope& each) {
        each.deliver_by = time.now() - 1s;
        each.body = buffer{"no json"};
    });
    run(stage, message);
    EXPECT_EQ(message.settled(), settlement::expired);
}

} // namespace
} // namespace ferry::middleware
