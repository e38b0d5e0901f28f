#include "shop.hpp"

#include <ferry/testing/harness.hpp>

#include <stdexcept>

namespace ferry::scenarios {
namespace {

class Scheduling : public shop {
protected:
    Scheduling() { broker = std::make_shared<memory::broker>(memory::broker_options{}, clock{time}); }

    [[nodiscard]] std::unique_ptr<bus_builder> timed_service() {
        auto builder = service("billing");
        builder->clock(time).concurrency_limit(1);
        builder->handle<order_placed>([this](const order_placed& order) { handled.add(order.order_id); });
        builder->serve<ship_order>([this](const ship_order& order) { handled.add("ship " + order.order_id); });
        return builder;
    }

    testing::manual_clock time;
    record<std::string> handled;
};

TEST_F(Scheduling, publishes_and_sends_when_the_time_has_come) { // B79
    testing::harness billing{[](bus_builder& builder) {
        builder.handle<order_placed>([](const order_placed&) {});
        builder.serve<ship_order>([](const ship_order&) {});
    }};
    billing.bus().schedule_publish(order_placed{"17"}, billing.clock().now() + 1h);
    billing.bus().schedule_send(ship_order{"18"}, 2h);
    EXPECT_EQ(billing.scheduled<order_placed>().count(), 1U);
    EXPECT_EQ(billing.scheduled<ship_order>().count(), 1U);
    EXPECT_EQ(billing.bus().health().scheduled.waiting, 2U);
    EXPECT_EQ(billing.published<order_placed>().count(), 0U);
    EXPECT_EQ(billing.clock().advance_to_next(), 1h);
    EXPECT_EQ(billing.published<order_placed>().first().order_id, "17");
    billing.handled<order_placed>().await();
    EXPECT_EQ(billing.sent<ship_order>().count(), 0U);
    EXPECT_EQ(billing.clock().advance_to_next(), 1h);
    EXPECT_EQ(billing.sent<ship_order>().first().order_id, "18");
    billing.handled<ship_order>().await();
    EXPECT_TRUE(testing::eventually([&] { return billing.bus().health().scheduled.waiting == 0; }));
}

TEST_F(Scheduling, can_be_cancelled_once) { // B79
    const auto billing = started(*timed_service());
    const schedule_token token = billing->schedule_publish(order_placed{"17"}, 1h);
    EXPECT_TRUE(billing->cancel(token));
    EXPECT_FALSE(billing->cancel(token));
    EXPECT_FALSE(billing->cancel(schedule_token{}));
    billing->schedule_publish(order_placed{"18"}, 2h);
    time.advance(2h);
    ASSERT_TRUE(handled.reaches(1));
    EXPECT_EQ(handled.all(), std::vector<std::string>{"18"});
}

TEST_F(Scheduling, cannot_cancel_what_was_sent) { // B79
    const auto billing = started(*timed_service());
    const schedule_token token = billing->schedule_publish(order_placed{"17"}, 1h);
    time.advance(1h);
    ASSERT_TRUE(handled.reaches(1));
    EXPECT_FALSE(billing->cancel(token));
}

TEST_F(Scheduling, sends_in_due_order) { // B80
    const auto billing = started(*timed_service());
    for (const int minute : {30, 10, 20, 40}) {
        billing->schedule_publish(order_placed{std::to_string(minute)}, std::chrono::minutes{minute});
    }
    time.advance(1h);
    ASSERT_TRUE(handled.reaches(4));
    EXPECT_EQ(handled.all(), (std::vector<std::string>{"10", "20", "30", "40"}));
}

TEST_F(Scheduling, keeps_for_ever_what_is_due_never) {
    const auto billing = started(*timed_service());
    const schedule_token never = billing->schedule_publish(order_placed{"never"}, duration::max());
    billing->schedule_publish(order_placed{"17"}, 24h * 365 * 100);
    time.advance(24h * 365 * 100);
    ASSERT_TRUE(handled.reaches(1));
    EXPECT_EQ(handled.all(), std::vector<std::string>{"17"});
    EXPECT_TRUE(billing->cancel(never));
}

TEST_F(Scheduling, sends_at_once_what_is_due_already) { // B82
    const auto billing = started(*timed_service());
    billing->schedule_publish(order_placed{"17"}, time.now() - 1h);
    EXPECT_TRUE(handled.reaches(1));
}

TEST_F(Scheduling, tries_again_with_growing_waits_and_gives_up_in_the_end) { // B81
    const auto billing = started(*timed_service());
    const schedule_token token =
        billing->schedule_send(ship_order{"17"}, 1h, {.destination = address::queue("not-there")});
    std::vector<duration> waits;
    for (int i = 0; i < 8; ++i) {
        waits.push_back(time.advance_to_next());
    }
    EXPECT_EQ(waits, (std::vector<duration>{1h, 2s, 4s, 8s, 16s, 32s, 64s, 128s}));
    ASSERT_TRUE(log.eventually_contains([](const std::string& line) { return line.contains("is given up"); }));
    const bus_health health = billing->health();
    EXPECT_EQ(health.scheduled.dead, 1U);
    EXPECT_FALSE(health.healthy());
    EXPECT_TRUE(billing->cancel(token)) << "a dead one can be taken away";
    EXPECT_TRUE(billing->health().healthy());
}

TEST_F(Scheduling, from_a_handler_waits_for_its_success) { // B83
    record<schedule_token> tokens;
    testing::harness billing{[&](bus_builder& builder) {
        builder.resilience([](exception_policy& policy) { policy.otherwise().retry({1s}); });
        builder.handle<order_placed>([](const order_placed&) {});
        builder.handle<invoice_created>([&](const invoice_created&, consume_context& context) {
            const order_placed order{"attempt " + std::to_string(context.attempt().retry)};
            tokens.add(context.schedule_publish(order, 1h));
            if (context.attempt().is_first()) {
                throw std::runtime_error{"no"};
            }
        });
    }};
    billing.bus().publish(invoice_created{"1"});
    EXPECT_EQ(billing.clock().advance_to_next(), 1s);
    EXPECT_EQ(billing.scheduled<order_placed>().first().order_id, "attempt 1");
    EXPECT_EQ(billing.bus().health().scheduled.waiting, 1U);
    EXPECT_FALSE(billing.bus().cancel(tokens.all()[0])) << "the failed attempt has scheduled nothing";
    EXPECT_EQ(billing.clock().advance_to_next(), 1h);
    billing.handled<order_placed>().await();
    billing.stop();
    ASSERT_EQ(billing.published<order_placed>().count(), 1U);
    EXPECT_EQ(billing.published<order_placed>().first().order_id, "attempt 1");
}

TEST_F(Scheduling, can_be_taken_back_by_the_handler_that_scheduled_it) { // B83
    auto builder = timed_service();
    record<bool> cancelled;
    builder->handle<invoice_created>([&](const invoice_created&, consume_context& context) {
        const schedule_token token = context.schedule_publish(order_placed{"17"}, 1h);
        context.schedule_publish(order_placed{"18"}, 1h);
        cancelled.add(context.cancel(token));
        cancelled.add(context.cancel(token));
    });
    const auto billing = started(*builder);
    billing->publish(invoice_created{"1"});
    ASSERT_TRUE(testing::eventually([&] { return billing->health().scheduled.waiting == 1; }));
    EXPECT_EQ(cancelled.all(), (std::vector{true, false}));
    time.advance(1h);
    ASSERT_TRUE(handled.reaches(1));
    EXPECT_EQ(handled.all(), std::vector<std::string>{"18"});
}

TEST_F(Scheduling, keeps_every_field_of_the_message) { // B3
    auto builder = timed_service();
    watched<envelope> seen;
    builder->use_before("dead_letter", "look", [&](receive_context& message, next<receive_context> next) {
        seen.change([&](envelope& copy) { copy = message.envelope(); });
        next(message);
    });
    const auto billing = started(*builder);
    const time_point due = time.now() + 1h;
    const schedule_token token =
        billing->schedule_publish(order_placed{"17"}, due, {.headers = {{"priority", 5}}, .tenant = "north"});
    time.advance(1h);
    ASSERT_TRUE(handled.reaches(1));
    EXPECT_EQ(seen.get().message_id, token.id);
    EXPECT_EQ(seen.get().scheduled_at, due);
    EXPECT_EQ(seen.get().tenant, "north");
    EXPECT_EQ(seen.get().headers, (headers{{"priority", 5}}));
}

TEST_F(Scheduling, says_what_ends_with_the_process) {
    const auto billing = started(*timed_service());
    billing->schedule_publish(order_placed{"17"}, 1h);
    billing->stop();
    EXPECT_THAT(log.all(), ::testing::Contains(::testing::HasSubstr("1 scheduled messages were kept in this process")));
    EXPECT_THROW(billing->schedule_publish(order_placed{"18"}, 1h), not_running);
}

} // namespace
} // namespace ferry::scenarios
