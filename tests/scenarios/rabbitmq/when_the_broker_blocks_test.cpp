#include "private_broker.hpp"
#include "rabbit_shop.hpp"

namespace ferry::scenarios {
namespace {

class WhenTheBrokerBlocks : private testing::owner_of_a_broker, public rabbit_shop {
protected:
    WhenTheBrokerBlocks() : rabbit_shop{own.api()} {}

    [[nodiscard]] std::unique_ptr<bus> billing(amqp::queue_type queues, const std::string& name) {
        auto builder = service(name, impatient(queues));
        builder->concurrency_limit(1).prefetch(1); // so that every message has to be fetched
        builder->handle<order_placed>([this](const order_placed& order, consume_context& context) {
            (void)release.eventually([](bool yes) { return yes; });
            handled.at(std::string{context.endpoint()}).add(order, context);
        });
        return started(*builder);
    }
    [[nodiscard]] std::unique_ptr<bus> a_shop(duration send_timeout) {
        amqp::transport_options options = impatient();
        options.send_timeout = send_timeout;
        auto builder = service("shop", options);
        return started(*builder);
    }
    [[nodiscard]] static std::string failure_of(const std::function<void()>& action) {
        try {
            action();
        } catch (const transport_error& failure) {
            return failure.is_transient() ? failure.what() : "not transient";
        }
        return "";
    }
    void raise_alarm() { own.raise_memory_alarm(); }
    void clear_alarm() { own.clear_memory_alarm(); }

    watched<bool> release{false};
    std::map<std::string, handled_orders> handled;
};

TEST_F(WhenTheBrokerBlocks, publishing_waits_and_consuming_goes_on) { // B92
    handled_orders& on_quorum = handled["audit.order-placed"];
    handled_orders& on_classic = handled["billing.order-placed"];
    const auto audit = billing(amqp::queue_type::quorum, "audit");
    const auto consumer = billing(amqp::queue_type::classic, "billing");
    const auto hasty = a_shop(500ms);
    const auto patient = a_shop(60s);
    std::vector<std::string> confirmed;
    for (int i = 0; i < 20; ++i) {
        confirmed.push_back(std::to_string(i));
        patient->publish(order_placed{confirmed.back()});
    }
    raise_alarm();

    const std::string first = failure_of([&] { hasty->publish(order_placed{"first"}); });
    EXPECT_THAT(first, ::testing::HasSubstr("did not confirm the message in time"));
    EXPECT_THAT(first, ::testing::HasSubstr("the broker takes nothing: low on memory"));
    const std::string second = failure_of([&] { hasty->publish(order_placed{"second"}); });
    EXPECT_THAT(second, ::testing::HasSubstr("the broker takes no messages"));
    const std::string new_type = failure_of([&] { hasty->publish(label_printed{"third"}); });
    EXPECT_THAT(new_type, ::testing::HasSubstr("no answer in time from RabbitMQ"));
    EXPECT_THAT(new_type, ::testing::HasSubstr("low on memory"));
    EXPECT_FALSE(hasty->health().transport.connected);
    EXPECT_THAT(hasty->health().transport.last_error, ::testing::HasSubstr("low on memory"));
    EXPECT_TRUE(logged("the broker takes no messages for now: low on memory"));

    release.change([](bool& yes) { yes = true; });
    EXPECT_TRUE(on_quorum.have_all(confirmed)) << "what was there before is fetched and settled";
    EXPECT_TRUE(on_classic.have_all(confirmed));

    std::atomic<int> left = 0;
    for (int i = 20; i < 70; ++i) {
        confirmed.push_back(std::to_string(i));
        patient->async_publish(order_placed{confirmed.back()},
                               [&](const std::exception_ptr& failure) { left += failure ? 0 : 1; });
    }
    ASSERT_TRUE(testing::eventually([&] { return !patient->health().transport.connected; }));
    EXPECT_EQ(left, 0);
    clear_alarm();
    EXPECT_TRUE(testing::eventually([&] { return left == 50; })) << "everything that waited has left";
    EXPECT_TRUE(on_quorum.have_all(confirmed));
    EXPECT_TRUE(on_classic.have_all(confirmed));
    EXPECT_THAT(on_quorum.unannounced(), ::testing::IsEmpty());
    EXPECT_THAT(on_classic.unannounced(), ::testing::IsEmpty());
    EXPECT_TRUE(testing::eventually([&] { return hasty->health().transport.connected; }));
    EXPECT_NO_THROW(hasty->publish(label_printed{"third"}));
}

TEST_F(WhenTheBrokerBlocks, stopping_does_not_wait_for_it) { // B92 B94
    const auto shop = a_shop(60s);
    shop->publish(order_placed{"before"});
    raise_alarm();
    watched<std::string> told;
    shop->async_publish(order_placed{"after"}, [&](const std::exception_ptr& failure) {
        told.change([&](std::string& text) { text = failure ? summary_of(failure).text : "confirmed"; });
    });
    ASSERT_TRUE(testing::eventually([&] { return !shop->health().transport.connected; }));
    EXPECT_TRUE(shop->stop().complete());
    EXPECT_TRUE(told.eventually([](const std::string& text) { return text.contains("was stopped before"); }));
}

} // namespace
} // namespace ferry::scenarios
