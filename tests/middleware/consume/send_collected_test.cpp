#include <ferry/middleware/consume/send_collected.hpp>

#include <middleware/stage_support.hpp>

#include <stdexcept>

namespace ferry::middleware {
namespace {

class SendCollected : public stage_test {
protected:
    void run_consumer(std::function<void(const order_placed&, consume_context&)> handle) {
        consume<order_placed>(std::move(handle));
        stage_test::run_consumer(send_collected{bus, schedules}, received());
    }
};

TEST_F(SendCollected, sends_what_the_handler_collected_once_it_has_returned) {
    run_consumer([&](const order_placed&, consume_context& context) {
        context.publish(parcel_sent{"1"});
        context.send(parcel_sent{"2"});
        EXPECT_TRUE(bus.sent.empty());
    });
    ASSERT_EQ(bus.sent.size(), 2U);
    EXPECT_EQ(bus.sent[0].kind, message_kind::publish);
    EXPECT_EQ(bus.sent[1].kind, message_kind::send);
}

TEST_F(SendCollected, sends_nothing_of_a_handler_that_throws) {
    EXPECT_THROW(run_consumer([](const order_placed&, consume_context& context) {
                     context.publish(parcel_sent{"1"});
                     throw std::runtime_error{"no"};
                 }),
                 std::runtime_error);
    EXPECT_TRUE(bus.sent.empty());
}

TEST_F(SendCollected, keeps_what_the_handler_scheduled_once_it_has_returned) { // B83
    run_consumer([&](const order_placed&, consume_context& context) {
        context.schedule_publish(parcel_sent{"1"}, 1h);
        const schedule_token second = context.schedule_send(parcel_sent{"2"}, 1h);
        EXPECT_NE(second, schedule_token{});
        EXPECT_TRUE(schedules.kept.empty());
    });
    EXPECT_EQ(schedules.kept.size(), 2U);
    EXPECT_TRUE(bus.sent.empty());
}

TEST_F(SendCollected, keeps_nothing_of_a_handler_that_throws) { // B83
    EXPECT_THROW(run_consumer([](const order_placed&, consume_context& context) {
                     context.schedule_publish(parcel_sent{"1"}, 1h);
                     throw std::runtime_error{"no"};
                 }),
                 std::runtime_error);
    EXPECT_TRUE(schedules.kept.empty());
}

TEST_F(SendCollected, fails_the_handler_when_the_broker_does_not_confirm) {
    bus.failure = std::make_exception_ptr(transport_error{"nack"});
    EXPECT_THROW(run_consumer([](const order_placed&, consume_context& context) { context.publish(parcel_sent{"1"}); }),
                 transport_error);
}

} // namespace
} // namespace ferry::middleware
