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
