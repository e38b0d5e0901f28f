#include "shop.hpp"

#include <atomic>

namespace ferry::scenarios {
namespace {

class Failing : public shop {
protected:
    record<std::string> handled;
};

TEST_F(Failing, moves_the_message_to_the_error_queue_with_the_reason) { // B17 B95
    auto builder = service("billing");
    builder->handle<order_placed>([](const order_placed&) { throw std::runtime_error{"no such customer"}; });
    const auto billing = started(*builder);
    billing->publish(order_placed{"17"}, {.headers = {{"priority", 5}}});
    ASSERT_TRUE(log.reaches(2));

    const auto dead = broker->messages("billing.order-placed_error");
    ASSERT_EQ(dead.size(), 1U);
    EXPECT_EQ(dead[0].kind, message_kind::fault);
    EXPECT_EQ(dead[0].body.view(), R"({"order_id":"17","quantity":1})");
    EXPECT_EQ(*dead[0].headers.find("priority"), header_value{5});
    EXPECT_EQ(dead[0].headers.text("fault-exception-type"), "std::runtime_error");
    EXPECT_EQ(dead[0].headers.text("fault-message"), "no such customer");
    EXPECT_EQ(dead[0].headers.text("fault-endpoint"), "billing.order-placed");
    EXPECT_THAT(std::string{dead[0].headers.text("fault-timestamp")},
                ::testing::MatchesRegex("....-..-..T..:..:......Z"));
    EXPECT_THAT(log.all().back(),
                ::testing::HasSubstr("billing.order-placed_error: std::runtime_error: no such customer"));
    billing->stop();
    EXPECT_EQ(billing->counts().dead_lettered, 1U);
}

TEST_F(Failing, takes_exceptions_of_any_type) { // B25
    auto builder = service("billing");
    builder->handle<order_placed>([](const order_placed&) { throw 42; });
    const auto billing = started(*builder);
    billing->publish(order_placed{"17"});
    ASSERT_TRUE(log.reaches(2));
    EXPECT_EQ(broker->messages("billing.order-placed_error").at(0).headers.text("fault-exception-type"), "int");
}

TEST_F(Failing, of_one_consumer_does_not_keep_its_neighbour_from_its_work) {
    auto builder = service("billing");
    builder->endpoint("billing", [&](endpoint_builder& endpoint) {
        endpoint.handle<order_placed>([](const order_placed&) { throw std::runtime_error{"no"}; },
                                      [](consumer_builder& consumer) { consumer.name("bad"); });
        endpoint.handle<order_placed>([&](const order_placed& order) { handled.add(order.order_id); },
                                      [](consumer_builder& consumer) { consumer.name("good"); });
    });
    const auto billing = started(*builder);
    billing->publish(order_placed{"17"});
    ASSERT_TRUE(handled.reaches(1));
    ASSERT_TRUE(log.reaches(2));
    EXPECT_EQ(broker->depth("billing_error"), 1U);
}

TEST_F(Failing, skips_what_nobody_handles_unchanged) { // B38 B95
    auto builder = service("billing");
    builder->handle<order_placed>([&](const order_placed& order) { handled.add(order.order_id); });
    const auto billing = started(*builder);
    envelope strange = order("{}");
    strange.message_type = "urn:message:elsewhere:thing";
    strange.headers.set("own", "header");

    inject("billing.order-placed", strange);
    billing->publish(order_placed{"17"});

    ASSERT_TRUE(handled.reaches(1));
    billing->stop();
    const auto skipped = broker->messages("billing.order-placed_skipped");
    ASSERT_EQ(skipped.size(), 1U);
    EXPECT_EQ(skipped[0].message_type, strange.message_type);
    EXPECT_EQ(skipped[0].headers, strange.headers);
    EXPECT_EQ(skipped[0].body, strange.body);
    EXPECT_EQ(billing->counts().skipped, 1U);
}

TEST_F(Failing, sends_a_body_that_cannot_be_read_to_the_error_queue_once) { // B39
    auto builder = service("billing");
    builder->concurrency_limit(1); // so that the error queue has them in order
    builder->handle<order_placed>([&](const order_placed& order) { handled.add(order.order_id); });
    const auto billing = started(*builder);

    inject("billing.order-placed", order(R"({"order_id":"17","quantity":"many"})"));
    inject("billing.order-placed", order("no json"));
    envelope foreign = order("<order/>");
    foreign.content_type = "application/xml";
    inject("billing.order-placed", foreign);
    billing->publish(order_placed{"18"});

    ASSERT_TRUE(handled.reaches(1));
    ASSERT_TRUE(log.reaches(4));
    billing->stop();
    EXPECT_EQ(handled.all(), std::vector<std::string>{"18"});
    const auto dead = broker->messages("billing.order-placed_error");
    ASSERT_EQ(dead.size(), 3U);
    EXPECT_THAT(std::string{dead[0].headers.text("fault-message")}, ::testing::HasSubstr("quantity"));
    EXPECT_THAT(std::string{dead[2].headers.text("fault-message")}, ::testing::HasSubstr("application/xml"));
}

/// Fails for everything it gets, once more in a minute, and reads its own error queue under another name.
class FailingTwice : public Failing {
protected:
    FailingTwice() { broker = std::make_shared<memory::broker>(memory::broker_options{}, clock{time}); }

    void SetUp() override {
        auto builder = service("billing");
        builder->clock(time).resilience([](exception_policy& policy) { policy.otherwise().redeliver({1min}); });
        builder->handle<order_placed>([this](const order_placed&) {
            handled.add("billing");
            throw std::runtime_error{"no"};
        });
        builder->endpoint("billing.order-placed_error", [this](endpoint_builder& errors) {
            errors.handle<order_placed>(
                [this](const order_placed&, consume_context& context) {
                    reader.add(context.attempt().redelivery);
                    if (context.attempt().redelivery == 0) {
                        throw std::runtime_error{"not yet"};
                    }
                },
                [](consumer_builder& consumer) { consumer.name("reader"); });
        });
        billing = started(*builder);
    }
    void TearDown() override {
        billing.reset();
        broker.reset(); // while there is still a clock
    }

    void bring_back() {
        ASSERT_TRUE(testing::eventually([&] { return broker->delayed() == 1; }));
        time.advance(1min);
    }

    testing::manual_clock time;
    record<int> reader;
    std::unique_ptr<bus> billing;
};

TEST_F(FailingTwice, after_a_redelivery_goes_to_a_reader_of_the_error_queue_with_rounds_of_its_own) { // B95
    inject("billing.order-placed", order(R"({"order_id":"17"})"));
    bring_back();
    ASSERT_TRUE(handled.reaches(2));
    bring_back();
    ASSERT_TRUE(reader.reaches(2));
    billing->stop();
    EXPECT_EQ(reader.all(), (std::vector<int>{0, 1}));
    EXPECT_EQ(broker->depth("billing.order-placed_error_skipped"), 0U);
}

TEST_F(FailingTwice, goes_to_a_reader_of_the_error_queue_also_when_it_is_not_worth_handling_any_more) { // B42
    envelope urgent = order(R"({"order_id":"17"})");
    urgent.deliver_by = time.now() + 1min;
    inject("billing.order-placed", urgent);
    bring_back(); // its last moment
    ASSERT_TRUE(handled.reaches(2));
    bring_back();
    ASSERT_TRUE(reader.reaches(2));
    billing->stop();
    EXPECT_EQ(billing->counts().expired, 0U);
}

TEST_F(Failing, of_ten_thousand_messages_in_any_mixture_leaves_the_endpoint_running) { // B43
    std::atomic<int> good = 0;
    watched<int> ended;
    auto builder = service("billing");
    builder->handle<order_placed>([&](const order_placed& order) {
        if (order.quantity % 3 == 0) {
            throw std::runtime_error{"unlucky"};
        }
        ++good;
    });
    builder->use_before("dead_letter", "count", [&](receive_context& message, next<receive_context> next) {
        next(message);
        ended.change([](int& count) { ++count; });
    });
    builder->log([](log_level, std::string_view) {});
    const auto billing = started(*builder);
    for (int i = 1; i <= 10'000; ++i) {
        billing->publish(order_placed{"x", i});
    }
    ASSERT_TRUE(ended.eventually([](int count) { return count == 10'000; }));
    billing->stop();
    EXPECT_EQ(good, 6667);
    EXPECT_EQ(broker->depth("billing.order-placed_error"), 3333U);
    EXPECT_EQ(broker->depth("billing.order-placed"), 0U);
}

TEST_F(Failing, gives_the_message_back_and_waits_when_the_error_queue_is_out_of_reach) { // B40
    testing::manual_clock time;
    broker = std::make_shared<memory::broker>(memory::broker_options{.max_queue_messages = 1, .max_waiting_sends = 0},
                                              clock{time});
    watched<int> attempts;
    auto builder = service("billing");
    builder->clock(time).concurrency_limit(1).handle<order_placed>([&](const order_placed&) {
        attempts.change([](int& count) { ++count; });
        throw std::runtime_error{"no"};
    });
    const auto billing = started(*builder);
    inject("billing.order-placed_error", order("full"));
    const time_point start = time.now();
    billing->publish(order_placed{"17"});

    time.await_waiter_for(start + 200ms);
    EXPECT_EQ(attempts.get(), 1);
    EXPECT_EQ(billing->counts().returned, 1U);
    EXPECT_THAT(billing->health().endpoints[0].last_error, ::testing::HasSubstr("billing.order-placed_error"));
    time.advance(200ms);
    time.await_waiter_for(start + 200ms + 400ms);
    EXPECT_EQ(attempts.get(), 2);
    EXPECT_EQ(broker->purge("billing.order-placed_error"), 1U);
    time.advance(400ms);

    ASSERT_TRUE(testing::eventually([&] { return broker->depth("billing.order-placed_error") == 1; }));
    billing->stop();
    EXPECT_EQ(attempts.get(), 3);
    EXPECT_EQ(broker->depth("billing.order-placed"), 0U);
}

} // namespace
} // namespace ferry::scenarios
