#include "shop.hpp"

namespace ferry::scenarios {
namespace {

class Publishing : public shop {};

/// Reads order_placed, because it lists it; its own field is extra.
struct express_order_placed {
    using encloses = message_list<order_placed>;
    std::string order_id;
    int quantity = 1;
    std::string courier;
};

/// Reads express_order_placed, and so order_placed, too.
struct courier_order_placed {
    using encloses = message_list<express_order_placed>;
    std::string order_id;
    int quantity = 1;
    std::string courier;
};

TEST_F(Publishing, reaches_every_subscribing_service_once) { // B5
    record<std::string> billing_saw;
    record<std::string> shipping_saw;
    auto billing_builder = service("billing");
    billing_builder->handle<order_placed>([&](const order_placed& order) { billing_saw.add(order.order_id); });
    auto shipping_builder = service("shipping");
    shipping_builder->handle<order_placed>([&](const order_placed& order) { shipping_saw.add(order.order_id); });
    const auto billing = started(*billing_builder);
    const auto shipping = started(*shipping_builder);

    billing->publish(order_placed{"17"});
    billing->publish(order_placed{"18"});

    ASSERT_TRUE(billing_saw.reaches(2));
    ASSERT_TRUE(shipping_saw.reaches(2));
    billing->stop();
    shipping->stop();
    EXPECT_THAT(billing_saw.all(), ::testing::UnorderedElementsAre("17", "18"));
    EXPECT_THAT(shipping_saw.all(), ::testing::UnorderedElementsAre("17", "18"));
}

TEST_F(Publishing, succeeds_and_is_counted_when_nobody_subscribes) { // B5
    auto builder = service("orders");
    const auto orders = started(*builder);
    orders->publish(order_placed{"17"});
    EXPECT_EQ(orders->counts().unrouted_events, 1U);
}

TEST_F(Publishing, runs_both_handlers_of_one_service_once) { // B7
    record<std::string> invoices;
    record<std::string> audits;
    auto builder = service("billing");
    builder->handle<order_placed>([&](const order_placed& order) { invoices.add(order.order_id); },
                                  [](consumer_builder& consumer) { consumer.name("invoices"); });
    builder->handle<order_placed>([&](const order_placed& order) { audits.add(order.order_id); },
                                  [](consumer_builder& consumer) { consumer.name("audits"); });
    const auto billing = started(*builder);

    billing->publish(order_placed{"17"});

    ASSERT_TRUE(invoices.reaches(1));
    ASSERT_TRUE(audits.reaches(1));
    billing->stop();
    EXPECT_EQ(invoices.all(), std::vector<std::string>{"17"});
    EXPECT_EQ(audits.all(), std::vector<std::string>{"17"});
}

TEST_F(Publishing, runs_both_handlers_on_one_endpoint_once) { // B7
    record<std::string> seen;
    auto builder = service("billing");
    builder->endpoint("billing", [&](endpoint_builder& endpoint) {
        endpoint.handle<order_placed>([&](const order_placed&) { seen.add("a"); },
                                      [](consumer_builder& consumer) { consumer.name("a"); });
        endpoint.handle<order_placed>([&](const order_placed&) { seen.add("b"); },
                                      [](consumer_builder& consumer) { consumer.name("b"); });
    });
    const auto billing = started(*builder);

    billing->publish(order_placed{"17"});

    ASSERT_TRUE(seen.reaches(2));
    billing->stop();
    EXPECT_EQ(seen.all(), (std::vector<std::string>{"a", "b"}));
}

TEST_F(Publishing, brings_a_derived_message_to_handlers_of_what_it_encloses) { // B8
    record<int> quantities;
    record<std::string> couriers;
    auto builder = service("shipping");
    builder->handle<order_placed>([&](const order_placed& order) { quantities.add(order.quantity); });
    builder->handle<express_order_placed>([&](const express_order_placed& order) { couriers.add(order.courier); });
    const auto shipping = started(*builder);

    shipping->publish(express_order_placed{"17", 3, "bicycle"});
    shipping->publish(order_placed{"18", 4});

    ASSERT_TRUE(quantities.reaches(2));
    ASSERT_TRUE(couriers.reaches(1));
    shipping->stop();
    EXPECT_THAT(quantities.all(), ::testing::UnorderedElementsAre(3, 4));
    EXPECT_EQ(couriers.all(), std::vector<std::string>{"bicycle"});
}

TEST_F(Publishing, brings_a_message_to_handlers_of_what_it_encloses_two_levels_deep_once) { // B8
    record<std::string> seen;
    auto builder = service("shipping");
    builder->handle<order_placed>([&](const order_placed& order) { seen.add(order.order_id); });
    builder->handle<express_order_placed>([&](const express_order_placed& order) { seen.add(order.courier); });
    const auto shipping = started(*builder);

    shipping->publish(courier_order_placed{"17", 3, "bicycle"});

    ASSERT_TRUE(seen.reaches(2));
    shipping->stop();
    EXPECT_THAT(seen.all(), ::testing::UnorderedElementsAre("17", "bicycle"));
    EXPECT_EQ(broker->depth("shipping.order-placed_skipped"), 0U);
}

TEST_F(Publishing, from_a_handler_continues_the_conversation) { // B1
    record<envelope> orders;
    record<envelope> invoices;
    auto builder = service("billing");
    builder->handle<order_placed>([&](const order_placed& order, consume_context& context) {
        orders.add(context.envelope());
        context.publish(invoice_created{order.order_id});
    });
    builder->handle<invoice_created>(
        [&](const invoice_created&, consume_context& context) { invoices.add(context.envelope()); });
    const auto billing = started(*builder);

    billing->publish(order_placed{"17"}, {.tenant = "blue"});

    ASSERT_TRUE(invoices.reaches(1));
    const envelope order = orders.all().front();
    const envelope invoice = invoices.all().front();
    EXPECT_FALSE(order.conversation_id.is_nil());
    EXPECT_EQ(invoice.conversation_id, order.conversation_id);
    EXPECT_EQ(invoice.causation_id, order.message_id);
    EXPECT_NE(invoice.message_id, order.message_id);
    EXPECT_NE(invoice.correlation_id, order.correlation_id);
    EXPECT_FALSE(invoice.correlation_id.is_nil());
    EXPECT_EQ(invoice.source, address::queue("billing.order-placed"));
    EXPECT_EQ(invoice.tenant, "blue");
}

TEST_F(Publishing, carries_what_its_options_say) {
    record<envelope> seen;
    auto builder = service("billing");
    builder->handle<order_placed>([&](const order_placed&, consume_context& context) { seen.add(context.envelope()); });
    const auto billing = started(*builder);
    const time_point before = clock{}();

    billing->publish(order_placed{"17"},
                     {.headers = {{"priority", 5}}, .expires_after = 1h, .partition_key = "17", .tenant = "blue"});

    ASSERT_TRUE(seen.reaches(1));
    const envelope order = seen.all().front();
    EXPECT_EQ(order.kind, message_kind::publish);
    EXPECT_EQ(order.headers, (headers{{"priority", 5}}));
    EXPECT_EQ(order.partition_key, "17");
    EXPECT_EQ(order.tenant, "blue");
    EXPECT_EQ(order.content_type, "application/json");
    EXPECT_EQ(order.body.view(), R"({"order_id":"17","quantity":1})");
    ASSERT_TRUE(order.deliver_by);
    EXPECT_GE(*order.deliver_by, before + 1h);
    EXPECT_EQ(*order.deliver_by, *order.sent_at + 1h);
}

enum class region : unsigned char { europe, america };
struct parcel_sent {
    std::string town = {};
    int zone = 0;
    region to = region::europe;
};

/// The routing keys of all parcels, in order.
class RoutingKeys : public shop {
protected:
    template <typename Source>
    std::string key_of(const parcel_sent& parcel, Source source, const dispatch_options& options = {}) {
        record<envelope> seen;
        auto builder = service("post");
        builder->routing_key<parcel_sent>(source).template handle<parcel_sent>(
            [&](const parcel_sent&, consume_context& context) { seen.add(context.envelope()); });
        const auto post = started(*builder);
        post->publish(parcel, options);
        EXPECT_TRUE(seen.reaches(1)); // the memory transport carries the key and looks at nothing
        return seen.all().front().routing_key;
    }
};

TEST_F(RoutingKeys, come_from_a_member_of_the_message) {
    EXPECT_EQ(key_of({.town = "Ghent"}, &parcel_sent::town), "Ghent");
    EXPECT_EQ(key_of({.zone = -7}, &parcel_sent::zone), "-7");
    EXPECT_EQ(key_of({.to = region::america}, &parcel_sent::to), "america");
}

TEST_F(RoutingKeys, come_from_a_function_of_the_message) {
    EXPECT_EQ(key_of({.town = "Ghent", .zone = 9},
                     [](const parcel_sent& parcel) { return parcel.town + "." + std::to_string(parcel.zone); }),
              "Ghent.9");
}

TEST_F(RoutingKeys, can_be_said_for_one_message) {
    EXPECT_EQ(key_of({.town = "Ghent"}, &parcel_sent::town, {.routing_key = "express"}), "express");
}

TEST_F(RoutingKeys, are_only_for_what_goes_to_an_exchange) {
    record<envelope> seen;
    auto builder = service("post");
    builder->routing_key<parcel_sent>(&parcel_sent::town)
        .serve<parcel_sent>([&](const parcel_sent&, consume_context& context) { seen.add(context.envelope()); });
    const auto post = started(*builder);
    post->send(parcel_sent{.town = "Ghent"});
    ASSERT_TRUE(seen.reaches(1));
    EXPECT_EQ(seen.all().front().routing_key, "");
}

TEST_F(RoutingKeys, belong_to_what_a_handler_publishes_and_not_to_what_it_handles) {
    record<envelope> seen;
    auto builder = service("post");
    builder->routing_key<parcel_sent>(&parcel_sent::town)
        .handle<parcel_sent>([](const parcel_sent&, consume_context& context) { context.publish(order_placed{"1"}); })
        .handle<order_placed>([&](const order_placed&, consume_context& context) { seen.add(context.envelope()); });
    const auto post = started(*builder);
    post->publish(parcel_sent{.town = "Ghent"});
    ASSERT_TRUE(seen.reaches(1));
    EXPECT_EQ(seen.all().front().routing_key, "");
}

TEST_F(Publishing, goes_where_the_options_say_instead) {
    record<std::string> seen;
    auto builder = service("billing");
    builder->handle<order_placed>([&](const order_placed& order) { seen.add(order.order_id); },
                                  [](consumer_builder& consumer) { consumer.queue("archive"); });
    const auto billing = started(*builder);
    billing->send(order_placed{"17"}, {.destination = address::queue("archive")});
    ASSERT_TRUE(seen.reaches(1));
}

TEST_F(Publishing, waits_until_the_time_it_is_scheduled_for) { // B95
    testing::manual_clock time;
    broker = std::make_shared<memory::broker>(memory::broker_options{}, clock{time});
    record<std::string> seen;
    auto builder = service("billing");
    builder->clock(time).handle<order_placed>([&](const order_placed& order) { seen.add(order.order_id); });
    const auto billing = started(*builder);

    billing->publish(order_placed{"later"}, {.deliver_at = time.now() + 1h});
    billing->publish(order_placed{"now"});
    ASSERT_TRUE(seen.reaches(1));
    EXPECT_EQ(seen.all(), std::vector<std::string>{"now"});
    EXPECT_EQ(broker->delayed(), 1U);
    time.advance(1h);

    ASSERT_TRUE(seen.reaches(2));
    EXPECT_EQ(seen.all().back(), "later");
}

TEST_F(Publishing, before_the_start_or_after_the_stop_is_a_clear_error) {
    auto builder = service("billing");
    bus billing = builder->build();
    EXPECT_THROW(billing.publish(order_placed{"17"}), not_running);
    billing.start();
    billing.stop();
    EXPECT_THROW(billing.publish(order_placed{"17"}), not_running);
}

TEST_F(Publishing, of_text_that_is_no_utf8_is_an_error_at_the_publisher) {
    auto builder = service("billing");
    const auto billing = started(*builder);
    EXPECT_THROW(billing->publish(order_placed{"\xff"}), encode_error);
}

TEST_F(Publishing, lets_the_time_of_a_message_begin_when_it_leaves) { // B42
    testing::manual_clock time;
    record<envelope> sent;
    auto builder = service("shop");
    builder->clock(time).use_before("serialization", "watch",
                                    [&](dispatch_context& message, next<dispatch_context> next) {
                                        sent.add(message.envelope);
                                        next(message);
                                    });
    const auto sender = started(*builder);
    const time_point now = time.now();
    sender->publish(order_placed{"1"}, {.expires_after = 5min});
    sender->publish(order_placed{"2"}, {.expires_after = 5min, .deliver_at = now + 1h});
    sender->schedule_publish(order_placed{"3"}, now + 1h, {.expires_after = 5min});
    sender->publish(order_placed{"4"}, {.expires_after = 5min, .deliver_at = now - 1h});
    sender->publish(order_placed{"5"}, {.expires_after = duration::max()});
    const std::vector<envelope> all = sent.all();
    EXPECT_EQ(all[0].deliver_by, now + 5min);
    EXPECT_EQ(all[1].deliver_by, now + 65min);
    EXPECT_EQ(all[2].deliver_by, now + 65min);
    EXPECT_EQ(all[3].deliver_by, now + 5min);
    EXPECT_EQ(all[4].deliver_by, time_point::max());
}

} // namespace
} // namespace ferry::scenarios
