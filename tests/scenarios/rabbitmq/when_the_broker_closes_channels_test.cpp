#include "billing_shop.hpp"

namespace ferry::scenarios {
namespace {

/// Somebody takes away what a running service uses, or the broker has had enough of it.
class WhenTheBrokerClosesChannels : public billing_shop {
protected:
    void lose_the_word_of_a_cancelled_consumer() {
        network.lose(60, 30); // basic.cancel, as the protocol numbers it
    }
};

TEST_P(WhenTheBrokerClosesChannels, an_exchange_that_was_deleted_is_declared_again) { // B86
    const auto bus = billing(impatient(GetParam()));
    expect_to_work_again(*bus);
    broker.remove(exchange_path());
    EXPECT_THROW(bus->publish(order_placed{"lost"}), transport_error) << "the broker says 404";
    EXPECT_TRUE(logged("NOT_FOUND"));
    expect_to_work_again(*bus);
}

TEST_P(WhenTheBrokerClosesChannels, the_watchdog_binds_again_to_the_exchange_of_another_service) { // B86
    const auto consumer = billing(watchful());
    const auto shop = a_shop();
    expect_to_work_again(*shop);
    broker.remove(exchange_path());
    expect_to_work_again(*shop);
}

TEST_P(WhenTheBrokerClosesChannels, the_watchdog_puts_a_binding_back) { // B86
    const auto bus = billing(watchful());
    expect_to_work_again(*bus);
    broker.remove(binding_path());
    expect_to_work_again(*bus);
}

TEST_P(WhenTheBrokerClosesChannels, a_deleted_queue_is_declared_bound_and_consumed_again) { // B86
    const auto bus = billing(impatient(GetParam()));
    expect_to_work_again(*bus);
    broker.remove(queue_path(queue));
    ASSERT_TRUE(logged("billing.order-placed is consumed no more: the broker has cancelled it"));
    expect_to_work_again(*bus);
}

TEST_P(WhenTheBrokerClosesChannels, a_queue_that_may_not_be_created_is_waited_for) { // B86
    billing(impatient(GetParam()))->stop();                                          // somebody creates it
    amqp::transport_options options = impatient(GetParam());
    options.provision = {.queues = false, .exchanges = false, .bindings = false};
    const auto bus = billing(options);
    expect_to_work_again(*bus);
    broker.remove(queue_path(queue));
    EXPECT_TRUE(testing::eventually([&] {
        const transport_health now = bus->health().transport;
        return !now.connected && now.last_error.contains("queue billing.order-placed");
    }));
    billing(impatient(GetParam()))->stop(); // and somebody creates it again
    expect_to_work_again(*bus);
}

TEST_P(WhenTheBrokerClosesChannels, a_consumer_that_took_too_long_goes_on_with_a_new_channel) { // B86
    broker.put("/api/policies/" + vhost + "/impatience",
               R"({"pattern": ".*", "definition": {"consumer-timeout": 300}, "apply-to": "queues"})");
    watched<bool> release{false};
    auto builder = service("billing", impatient(GetParam()));
    builder->handle<order_placed>([&](const order_placed& order, consume_context& context) {
        handled.add(order, context);
        if (order.order_id == "slow" && context.delivery().earlier_deliveries() == 0) {
            (void)release.eventually([](bool yes) { return yes; });
        }
    });
    const auto bus = started(*builder);
    bus->publish(order_placed{"slow"});
    EXPECT_TRUE(logged("PRECONDITION_FAILED - delivery acknowledgement"));
    EXPECT_TRUE(testing::eventually([&] { return handled.times("slow") == 2; }));
    release.change([](bool& yes) { yes = true; });
    expect_to_work_again(*bus);
    EXPECT_EQ(handled.times("slow"), 2) << "the second time it was acknowledged";
}

TEST_P(WhenTheBrokerClosesChannels, the_watchdog_misses_a_consumer_whose_end_nobody_has_told) { // B86
    amqp::transport_options options = watchful();
    options.heartbeat = 60s; // so that the broker says nothing but what the test makes it say
    options.watchdog_interval = 1s;
    const auto bus = billing(options);
    expect_to_work_again(*bus);
    network.swallow_from_broker(true);
    const int until_now = network.swallowed();
    broker.remove(queue_path(queue));
    ASSERT_TRUE(testing::eventually([&] { return network.swallowed() > until_now; }));
    network.swallow_from_broker(false);
    EXPECT_TRUE(logged("billing.order-placed is consumed no more: the broker knows of no consumer"));
    expect_to_work_again(*bus);
}

TEST_P(WhenTheBrokerClosesChannels, the_watchdog_misses_its_own_consumer_beside_one_that_is_slow) { // B86
    lose_the_word_of_a_cancelled_consumer();
    const auto bus = billing(watchful());
    expect_to_work_again(*bus);
    watched<bool> release{false};
    bus_builder slow{"billing"};
    slow.transport(amqp::transport{url(broker.amqp_port()), impatient(GetParam())});
    slow.log([](log_level, std::string_view) {}).concurrency_limit(1).prefetch(1);
    std::atomic<int> taken{0};
    slow.handle<order_placed>([&](const order_placed&) {
        ++taken;
        (void)release.eventually([](bool yes) { return yes; });
    });
    const auto other = started(slow);
    broker.remove(queue_path(queue)); // both consumers end, and one of them is not told
    int sent = 0;
    ASSERT_TRUE(testing::eventually([&] {
        publish_surely(*other, "stuck " + std::to_string(++sent));
        return taken > 0;
    }));
    expect_to_work_again(*other);
    release.change([](bool& yes) { yes = true; });
}

TEST_P(WhenTheBrokerClosesChannels, the_watchdog_looks_after_the_others_when_a_queue_is_gone) { // B86
    billing(impatient(GetParam()))->stop();                                                     // somebody creates it
    amqp::transport_options options = watchful();
    options.provision = {.queues = false, .exchanges = false, .bindings = false};
    lose_the_word_of_a_cancelled_consumer();
    const auto bus = billing(options);
    expect_to_work_again(*bus);
    broker.remove(queue_path(queue));
    EXPECT_TRUE(logged("billing.order-placed is consumed no more: "));
    billing(impatient(GetParam()))->stop(); // and somebody creates it again
    expect_to_work_again(*bus);
}

INSTANTIATE_TEST_SUITE_P(On, WhenTheBrokerClosesChannels,
                         ::testing::Values(amqp::queue_type::quorum, amqp::queue_type::classic), name_of);

} // namespace
} // namespace ferry::scenarios
