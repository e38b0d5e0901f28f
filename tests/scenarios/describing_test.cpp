#include "shop.hpp"

namespace ferry::scenarios {
namespace {

class Describing : public shop {
protected:
    [[nodiscard]] bus_description described() {
        auto builder = service("shipping");
        builder->concurrency_limit(3)
            .handle<order_placed>(
                [](const order_placed&) {},
                [](consumer_builder& consumer) {
                    consumer.use("timing", [](consume_context& message, next<consume_context> next) { next(message); });
                })
            .serve<print_label>([](const print_label&) { return label_printed{}; })
            .use_before("fault", "tenant", [](receive_context& message, next<receive_context> next) { next(message); });
        return builder->build().describe();
    }
};

TEST_F(Describing, prefetches_two_messages_for_each_slot_and_no_fewer_than_32) {
    const auto prefetch_with = [this](std::size_t slots) {
        auto builder = service("billing");
        builder->concurrency_limit(slots).handle<order_placed>([](const order_placed&) {});
        return builder->build().describe().endpoints.front().prefetch;
    };
    EXPECT_EQ(prefetch_with(1), 32U);
    EXPECT_EQ(prefetch_with(16), 32U);
    EXPECT_EQ(prefetch_with(17), 34U);
    EXPECT_EQ(prefetch_with(100), 200U);
    EXPECT_EQ(prefetch_with(100'000), 65'535U);
}

TEST_F(Describing, shows_endpoints_with_their_stages_in_order) {
    const bus_description built = described();
    EXPECT_EQ(built.service, "shipping");
    EXPECT_EQ(built.transport, "memory");
    ASSERT_EQ(built.endpoints.size(), 2U);
    const endpoint_description& orders = built.endpoints[0];
    EXPECT_EQ(orders.name, "shipping.order-placed");
    EXPECT_EQ(orders.concurrency, 3U);
    EXPECT_EQ(orders.prefetch, 32U);
    EXPECT_EQ(orders.stages, (std::vector<std::string>{"transport_circuit_breaker", "dead_letter", "tenant", "fault",
                                                       "circuit_breaker", "expiry", "type_selection", "routing"}));
    ASSERT_EQ(orders.consumers.size(), 1U);
    EXPECT_EQ(orders.consumers[0].stages, (std::vector<std::string>{"send_collected", "timing", "handler"}));
    EXPECT_EQ(orders.consumers[0].receives, "published");
    EXPECT_EQ(built.endpoints[1].consumers[0].receives, "sent");
    EXPECT_EQ(built.endpoints[1].consumers[0].replies_with, "urn:message:ferry.scenarios:label-printed");
    EXPECT_EQ(built.dispatch_stages, (std::vector<std::string>{"serialization", "scheduling", "transmission"}));
}

TEST_F(Describing, shows_messages_and_where_they_go) {
    const bus_description built = described();
    ASSERT_EQ(built.messages.size(), 2U);
    EXPECT_EQ(built.messages[0].type, "urn:message:ferry.scenarios:order-placed");
    EXPECT_EQ(built.messages[0].published_to, "exchange:ferry.scenarios.order-placed");
    EXPECT_EQ(built.messages[1].sent_to, "queue:print-label");
    EXPECT_EQ(built.messages[1].content_types, std::vector<std::string>{"application/json"});
}

TEST_F(Describing, shows_chosen_routes_before_anything_is_sent_there) {
    auto builder = service("shop");
    builder->route<ship_order>(address::queue("warehouse"));
    const bus_description built = builder->build().describe();
    ASSERT_EQ(built.messages.size(), 1U);
    EXPECT_EQ(built.messages[0].type, "urn:message:ferry.scenarios:ship-order");
    EXPECT_EQ(built.messages[0].sent_to, "queue:warehouse");
}

TEST_F(Describing, shows_where_replies_come_and_what_becomes_of_them) {
    const bus_description built = described();
    EXPECT_THAT(built.reply_queue, ::testing::StartsWith("shipping.replies."));
    EXPECT_EQ(built.reply_stages, std::vector<std::string>{"reply_delivery"});
    EXPECT_THAT(built.text(), ::testing::HasSubstr("replies  reply_delivery, from " + built.reply_queue));
}

TEST_F(Describing, tells_when_each_breaker_opens) {
    auto builder = service("shipping");
    builder->handle<order_placed>([](const order_placed&) {})
        .circuit_breaker({.failure_ratio = 0.25})
        .transport_circuit_breaker({.failure_ratio = 0.75, .break_duration = 7s});
    EXPECT_THAT(builder->build().describe().text(),
                ::testing::HasSubstr("  breaks   at 25 % of at least 10 in 10 s, for 30 s\n"
                                     "  breaks   for its transport at 75 % of at least 10 in 10 s, for 7 s\n"));
}

TEST_F(Describing, says_nothing_of_breakers_that_are_switched_off) {
    auto builder = service("shipping");
    builder->handle<order_placed>([](const order_placed&) {})
        .circuit_breaker({.enabled = false})
        .transport_circuit_breaker({.enabled = false});
    EXPECT_THAT(builder->build().describe().text(), ::testing::Not(::testing::HasSubstr("breaks")));
}

TEST_F(Describing, shows_what_is_at_the_broker) {
    const bus_description built = described();
    EXPECT_THAT(built.text(),
                ::testing::HasSubstr("at the broker\n"
                                     "  queue    shipping.order-placed_error\n"
                                     "  queue    shipping.order-placed_skipped\n"
                                     "  queue    shipping.order-placed\n"
                                     "  queue    print-label_error\n"
                                     "  queue    print-label_skipped\n"
                                     "  queue    print-label\n"
                                     "  queue    " +
                                     built.reply_queue +
                                     " (temporary)\n"
                                     "  exchange ferry.scenarios.order-placed (fanout)\n"
                                     "  binding  ferry.scenarios.order-placed > queue:shipping.order-placed\n"));
}

TEST_F(Describing, shows_what_the_service_publishes) {
    auto builder = service("shop");
    builder->publishes<order_placed, invoice_created>().routing_key<order_placed>(&order_placed::order_id);
    const bus_description built = builder->build().describe();
    ASSERT_EQ(built.messages.size(), 2U);
    EXPECT_FALSE(built.messages[0].has_routing_key);
    EXPECT_TRUE(built.messages[1].has_routing_key);
    EXPECT_THAT(built.text(), ::testing::HasSubstr("  exchange ferry.scenarios.order-placed (fanout)\n"
                                                   "  exchange ferry.scenarios.invoice-created (fanout)\n"));
    EXPECT_THAT(built.text(), ::testing::HasSubstr("  routed by    a key from the message\n"));
}

TEST_F(Describing, is_text_for_people) {
    const std::string text = described().text();
    EXPECT_THAT(text, ::testing::HasSubstr("service shipping on memory"));
    EXPECT_THAT(text, ::testing::HasSubstr(
                          "stages   transport_circuit_breaker > dead_letter > tenant > fault > circuit_breaker "
                          "> expiry > type_selection > routing"));
    EXPECT_THAT(text, ::testing::HasSubstr(
                          "consumer print-label: urn:message:ferry.scenarios:print-label, sent, replies with"));
}

TEST_F(Describing, is_json_for_tools) {
    const bus_description built = described();
    const buffer json{built.json()};
    bus_description again;
    json_codec<bus_description>{}.decode(json, &again);
    EXPECT_EQ(again.text(), built.text());
}

} // namespace
} // namespace ferry::scenarios
