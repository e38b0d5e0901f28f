#include "shop.hpp"

#include <atomic>

namespace ferry::scenarios {
namespace {

struct weigh_parcel {
    static constexpr std::string_view message_destination = "queue:scales";
    std::string parcel_id;
};

/// A house where queues are never guessed.
struct no_guessing : naming {
    [[nodiscard]] std::string message_queue(const message_type&) const override { return {}; }
};

class Sending : public shop {};

TEST_F(Sending, brings_a_command_to_the_one_that_serves_it) {
    record<std::string> shipped;
    auto shipping_builder = service("shipping");
    shipping_builder->serve<ship_order>([&](const ship_order& order) { shipped.add(order.order_id); });
    auto orders_builder = service("orders");
    const auto shipping = started(*shipping_builder);
    const auto orders = started(*orders_builder);

    orders->send(ship_order{"17"});

    ASSERT_TRUE(shipped.reaches(1));
}

TEST_F(Sending, fails_when_there_is_no_queue_and_names_message_and_destination) { // B6
    auto builder = service("orders");
    const auto orders = started(*builder);
    try {
        orders->send(ship_order{"17"});
        FAIL() << "sent into nowhere";
    } catch (const transport_error& thrown) {
        EXPECT_THAT(thrown.what(), ::testing::HasSubstr("urn:message:ferry.scenarios:ship-order"));
        EXPECT_THAT(thrown.what(), ::testing::HasSubstr("queue:ship-order"));
        EXPECT_FALSE(thrown.is_transient());
    }
}

TEST_F(Sending, follows_the_route_of_the_builder) {
    record<std::string> shipped;
    auto builder = service("shipping");
    builder->serve<ship_order>([&](const ship_order& order) { shipped.add(order.order_id); },
                               [](consumer_builder& consumer) { consumer.queue("warehouse"); });
    builder->route<ship_order>(address::queue("warehouse"));
    const auto shipping = started(*builder);
    shipping->send(ship_order{"17"});
    ASSERT_TRUE(shipped.reaches(1));
}

TEST_F(Sending, goes_where_the_message_itself_says_unless_the_builder_says_otherwise) { // B60
    record<std::string> weighed;
    auto builder = service("scales");
    builder->serve<weigh_parcel>([&](const weigh_parcel& parcel) { weighed.add(parcel.parcel_id); });
    const auto scales = started(*builder);
    EXPECT_EQ(scales->describe().endpoints.at(0).name, "scales");
    auto sender = service("shop");
    const auto sending = started(*sender);
    sending->send(weigh_parcel{"1"});
    EXPECT_TRUE(weighed.reaches(1));
    auto other = service("other");
    other->route<weigh_parcel>(address::queue("elsewhere"));
    EXPECT_THROW(started(*other)->send(weigh_parcel{"2"}), transport_error);
}

TEST_F(Sending, goes_to_the_default_where_no_rule_says_anything) { // B60
    record<std::string> shipped;
    auto builder = service("shipping");
    builder->serve<ship_order>([&](const ship_order& order) { shipped.add(order.order_id); },
                               [](consumer_builder& consumer) { consumer.queue("everything"); });
    const auto shipping = started(*builder);
    auto sender = service("shop");
    sender->naming(std::make_shared<no_guessing>()).default_route(address::queue("everything"));
    started(*sender)->send(ship_order{"1"});
    EXPECT_TRUE(shipped.reaches(1));
    auto lost = service("lost");
    lost->naming(std::make_shared<no_guessing>());
    EXPECT_THROW(started(*lost)->send(ship_order{"2"}), error);
}

TEST_F(Sending, finds_what_the_same_bus_serves_from_a_queue_of_another_name) {
    record<std::string> shipped;
    auto builder = service("shipping");
    builder->endpoint("warehouse", [&](endpoint_builder& endpoint) {
        endpoint.serve<ship_order>([&](const ship_order& order) { shipped.add(order.order_id); });
    });
    const auto shipping = started(*builder);
    shipping->send(ship_order{"17"});
    ASSERT_TRUE(shipped.reaches(1));
}

TEST_F(Sending, of_an_event_to_a_queue_that_is_not_there_is_an_error) { // B6
    auto builder = service("shipping");
    const auto shipping = started(*builder);
    EXPECT_THROW(shipping->publish(order_placed{"17"}, {.destination = address::queue("nowhere")}), transport_error);
}

TEST_F(Sending, from_a_handler_leaves_only_with_its_success) {
    record<std::string> shipped;
    std::atomic<int> attempts = 0;
    auto builder = service("shipping");
    builder->serve<ship_order>([&](const ship_order& order) { shipped.add(order.order_id); });
    builder->handle<order_placed>([&](const order_placed& order, consume_context& context) {
        context.send(ship_order{order.order_id});
        EXPECT_TRUE(shipped.all().empty()) << "nothing leaves while the handler runs";
        if (++attempts == 1) {
            throw std::runtime_error{"no stock"};
        }
    });
    const auto shipping = started(*builder);

    shipping->publish(order_placed{"17"});
    shipping->publish(order_placed{"18"});

    ASSERT_TRUE(shipped.reaches(1));
    ASSERT_TRUE(testing::eventually([&] { return broker->depth("shipping.order-placed_error") == 1; }));
    shipping->stop();
    EXPECT_EQ(shipped.all().size(), 1U) << "the failed handler sent nothing";
}

TEST_F(Sending, immediately_leaves_whatever_becomes_of_the_handler) {
    record<std::string> shipped;
    auto builder = service("shipping");
    builder->serve<ship_order>([&](const ship_order& order) { shipped.add(order.order_id); });
    builder->handle<order_placed>([&](const order_placed& order, consume_context& context) {
        context.send(ship_order{order.order_id}, immediate);
        throw std::runtime_error{"no stock"};
    });
    const auto shipping = started(*builder);
    shipping->publish(order_placed{"17"});
    ASSERT_TRUE(shipped.reaches(1));
}

TEST_F(Sending, a_collected_message_nobody_serves_fails_the_handler) {
    auto builder = service("shipping");
    builder->handle<order_placed>(
        [&](const order_placed& order, consume_context& context) { context.send(ship_order{order.order_id}); });
    const auto shipping = started(*builder);
    shipping->publish(order_placed{"17"});
    ASSERT_TRUE(log.reaches(2)); // started, and the dead letter
    EXPECT_EQ(broker->depth("shipping.order-placed_error"), 1U);
}

TEST_F(Sending, goes_on_when_a_completion_handler_throws) {
    auto builder = service("orders");
    const auto orders = started(*builder);
    orders->async_publish(order_placed{"17"}, [](const std::exception_ptr&) { throw std::runtime_error{"no more"}; });
    EXPECT_TRUE(log.eventually_contains(
        [](const std::string& line) { return line.starts_with("a completion handler threw std::runtime_error"); }));
}

} // namespace
} // namespace ferry::scenarios
