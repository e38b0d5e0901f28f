#include <ferry/middleware/receive/routing.hpp>

#include <middleware/stage_support.hpp>

#include <stdexcept>

namespace ferry::middleware {
namespace {

class Routing : public stage_test {
protected:
    receive_context& for_everybody(const std::function<void(envelope&)>& fill = [](envelope&) {}) {
        receive_context& message = received(fill);
        message.targets() = message.consumers();
        return message;
    }
    routing stage;
    std::vector<std::string> seen;
};

TEST_F(Routing, reads_the_body_and_runs_each_consumer) {
    consume<order_placed>([&](const order_placed& order, consume_context&) { seen.push_back("a" + order.order_id); });
    consume<order_placed>([&](const order_placed& order, consume_context&) { seen.push_back("b" + order.order_id); });
    receive_context& message = for_everybody();
    run(stage, message);
    EXPECT_EQ(seen, (std::vector<std::string>{"a17", "b17"}));
    EXPECT_EQ(message.settled(), settlement::handled);
}

TEST_F(Routing, settles_nothing_when_there_is_nobody) {
    receive_context& message = received();
    run(stage, message);
    EXPECT_FALSE(message.settled());
}

TEST_F(Routing, runs_the_others_when_one_throws_and_throws_that) {
    consume<order_placed>([](const order_placed&, consume_context&) { throw std::runtime_error{"first"}; });
    consume<order_placed>([&](const order_placed&, consume_context&) { seen.emplace_back("b"); });
    receive_context& message = for_everybody();
    EXPECT_THROW(run(stage, message), std::runtime_error);
    EXPECT_EQ(seen, std::vector<std::string>{"b"});
    EXPECT_FALSE(message.settled());
}

TEST_F(Routing, gives_the_message_back_when_a_handler_throws_while_the_bus_stops) { // B94
    consume<order_placed>([&](const order_placed&, consume_context&) {
        stopping.request_stop();
        throw std::runtime_error{"asked to stop"};
    });
    consume<order_placed>([&](const order_placed&, consume_context&) { seen.emplace_back("b"); });
    receive_context& message = for_everybody();
    EXPECT_NO_THROW(run(stage, message));
    EXPECT_EQ(message.settled(), settlement::returned);
    EXPECT_TRUE(seen.empty());
}

TEST_F(Routing, tells_of_every_consumer_that_failed_and_of_its_rule) {
    exception_policy policy;
    policy.on<std::logic_error>().retry(7);
    consume<order_placed>([](const order_placed&, consume_context&) { throw std::runtime_error{"first"}; });
    consume<order_placed>([](const order_placed&, consume_context&) { throw std::logic_error{"second"}; }, policy);
    receive_context& message = for_everybody();
    EXPECT_THROW(run(stage, message), std::runtime_error);
    ASSERT_EQ(message.failures().size(), 2U);
    EXPECT_EQ(message.failures()[0].consumer->name(), "consumer 0");
    EXPECT_EQ(message.failures()[0].attempts, 1);
    EXPECT_EQ(message.failures()[0].rule, nullptr);
    EXPECT_EQ(message.failures()[1].consumer->name(), "consumer 1");
    ASSERT_NE(message.failures()[1].rule, nullptr);
    EXPECT_EQ(message.failures()[1].rule->retries->attempts, 7);
}

TEST_F(Routing, has_no_rule_for_a_body_that_cannot_be_read) { // B39
    exception_policy policy;
    policy.otherwise().retry().then_redeliver();
    consume<order_placed>([](const order_placed&, consume_context&) {}, policy);
    receive_context& message = for_everybody([](envelope& each) { each.body = buffer{"[]"}; });
    EXPECT_THROW(run(stage, message), decode_error);
    ASSERT_EQ(message.failures().size(), 1U);
    EXPECT_EQ(message.failures()[0].attempts, 0);
    EXPECT_EQ(message.failures()[0].rule, nullptr);
}

TEST_F(Routing, begins_no_other_consumer_when_the_message_goes_back) { // B31
    consume<order_placed>(
        [](const order_placed&, consume_context& context) { context.delivery().settle(settlement::returned); });
    consume<order_placed>([&](const order_placed&, consume_context&) { seen.emplace_back("b"); });
    receive_context& message = for_everybody();
    run(stage, message);
    EXPECT_TRUE(seen.empty());
    EXPECT_EQ(message.settled(), settlement::returned);
}

TEST_F(Routing, throws_when_the_body_cannot_be_read) { // B39
    consume<order_placed>([&](const order_placed&, consume_context&) { seen.emplace_back("a"); });
    EXPECT_THROW(run(stage, for_everybody([](envelope& each) { each.body = buffer{"[]"}; })), decode_error);
    EXPECT_THROW(run(stage, for_everybody([](envelope& each) { each.content_type = "application/xml"; })),
                 decode_error);
    EXPECT_TRUE(seen.empty());
}

} // namespace
} // namespace ferry::middleware
