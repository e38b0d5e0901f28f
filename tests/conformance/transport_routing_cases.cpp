#include "transport_suite.hpp"

namespace ferry::testing {

using ::testing::ElementsAre;

TEST_P(TransportSuite, fans_an_event_out_to_every_bound_queue_once) { // B5, B95
    const std::string orders = a_queue("billing.orders");
    const std::string shipments = a_queue("shipping.orders");
    const std::string exchange = an_exchange("order-placed", {address::queue(orders), address::queue(shipments)});
    accepting_sink in_billing;
    accepting_sink in_shop;
    const auto first = billing->consume(orders, {}, in_billing);
    const auto second = shop->consume(shipments, {}, in_shop);

    send_numbered(shop, address::exchange(exchange), 3);

    ASSERT_TRUE(in_billing.await(3));
    ASSERT_TRUE(in_shop.await(3));
    EXPECT_THAT(in_billing.bodies(), ElementsAre("0", "1", "2"));
    EXPECT_THAT(in_shop.bodies(), ElementsAre("0", "1", "2"));
}

TEST_P(TransportSuite, says_unroutable_of_an_event_nobody_listens_to) { // B5
    const std::string exchange = an_exchange("order-placed", {});

    const send_outcome outcome = send(shop, a_message_to(address::exchange(exchange)));

    EXPECT_EQ(outcome.status, send_status::unroutable);
    EXPECT_FALSE(outcome.error);
}

TEST_P(TransportSuite, says_unroutable_of_a_message_to_a_missing_queue) { // B6
    EXPECT_EQ(send(shop, a_message_to(address::queue(unique("missing")))).status, send_status::unroutable);
}

TEST_P(TransportSuite, says_unroutable_of_a_message_to_a_missing_exchange) { // B5
    const std::string queue = a_queue();
    const std::string missing = unique("missing");
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(send(shop, a_message_to(address::exchange(missing))).status, send_status::unroutable);
        EXPECT_EQ(send(shop, a_message_to(address::queue(queue))).status, send_status::confirmed);
    }

    declare(shop, {.exchanges = {{.name = missing}}, .bindings = {{missing, address::queue(queue)}}});

    EXPECT_EQ(send(shop, a_message_to(address::exchange(missing))).status, send_status::confirmed);
}

TEST_P(TransportSuite, keeps_the_order_of_messages_to_an_exchange_it_has_not_declared) {
    const std::string queue = a_queue();
    const std::string exchange = an_exchange("order-placed", {address::queue(queue)});
    accepting_sink sink;
    const auto subscription = shop->consume(queue, {}, sink);

    for (const std::string& each : numbers(100)) { // of which many come before the first is confirmed
        billing->send(a_message_to(address::exchange(exchange), each), [](const send_outcome&) {});
    }

    ASSERT_TRUE(sink.await(100));
    EXPECT_EQ(sink.bodies(), numbers(100));
}

TEST_P(TransportSuite, keeps_working_after_an_unroutable_message) { // B6
    const std::string queue = a_queue();
    ASSERT_EQ(send(shop, a_message_to(address::queue(unique("missing")))).status, send_status::unroutable);

    EXPECT_EQ(send(shop, a_message_to(address::queue(queue))).status, send_status::confirmed);
}

TEST_P(TransportSuite, follows_bindings_from_exchange_to_exchange) {
    const std::string queue = a_queue();
    const std::string derived = an_exchange("base-type", {address::queue(queue)});
    const std::string exchange = an_exchange("derived-type", {address::exchange(derived)});
    accepting_sink sink;
    const auto subscription = billing->consume(queue, {}, sink);

    EXPECT_EQ(send(shop, a_message_to(address::exchange(exchange))).status, send_status::confirmed);

    EXPECT_TRUE(sink.await(1));
}

TEST_P(TransportSuite, puts_one_copy_into_a_queue_that_several_paths_lead_to) {
    const std::string queue = a_queue();
    const std::string left = an_exchange("left", {address::queue(queue)});
    const std::string right = an_exchange("right", {address::queue(queue)});
    const std::string exchange =
        an_exchange("both", {address::exchange(left), address::exchange(right), address::queue(queue)});
    declare(shop, {.bindings = {{exchange, address::queue(queue)}}});
    accepting_sink sink;
    const auto subscription = billing->consume(queue, {}, sink);

    send_numbered(shop, address::exchange(exchange), 1);
    send_numbered(shop, address::queue(queue), 1); // behind it: had there been a second copy, it would come first

    ASSERT_TRUE(sink.await(2));
    EXPECT_EQ(sink.messages()[0].destination, address::exchange(exchange));
    EXPECT_EQ(sink.messages()[1].destination, address::queue(queue));
}

} // namespace ferry::testing
