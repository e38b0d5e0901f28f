#include "billing_shop.hpp"

namespace ferry::scenarios {
namespace {

class WhenAQueueIsMissing : public billing_shop {
protected:
    /// Two endpoints, and a queue beside them.
    [[nodiscard]] std::unique_ptr<bus> two_endpoints(amqp::provisioning provision) {
        amqp::transport_options options = watchful();
        options.provision = provision;
        options.topology.queues = {{.name = "archive"}};
        auto builder = service("billing", options);
        builder->handle<order_placed>(
            [this](const order_placed& order, consume_context& context) { handled.add(order, context); });
        builder->endpoint("audit", [this](endpoint_builder& endpoint) {
            endpoint.handle<order_placed>(
                [this](const order_placed& order, consume_context& context) { audited.add(order, context); });
        });
        return started(*builder);
    }
    /// What others have created, and nobody else may.
    [[nodiscard]] std::unique_ptr<bus> on_queues_of_others() {
        two_endpoints({})->stop();
        return two_endpoints({.queues = false});
    }
    void publish_what_billing_handles(bus& from) {
        std::vector<std::string> sent;
        for (int i = 0; i < 20; ++i) {
            sent.push_back(std::to_string(published++));
            publish_surely(from, sent.back());
        }
        EXPECT_TRUE(handled.have_all(sent));
    }
    handled_orders audited;
};

TEST_P(WhenAQueueIsMissing, the_other_endpoints_go_on) { // B84 B86
    const auto bus = on_queues_of_others();
    broker.remove(queue_path("audit"));
    ASSERT_TRUE(logged("the queue audit: NOT_FOUND"));
    publish_what_billing_handles(*bus);
    const int until_now = network.connections();
    network.cut();
    ASSERT_TRUE(testing::eventually([&] { return network.connections() >= until_now + 2; }));
    publish_what_billing_handles(*bus);
    EXPECT_EQ(network.connections(), until_now + 2) << "nothing more is given up for it";
    EXPECT_TRUE(testing::eventually([&] {
        const transport_health now = bus->health().transport;
        return !now.connected && now.last_error.contains("queue audit");
    }));
    EXPECT_THAT(handled.unannounced(), ::testing::IsEmpty());

    two_endpoints({})->stop(); // somebody creates it again
    ASSERT_TRUE(testing::eventually([&] { return bus->health().transport.connected; }));
    publish_surely(*bus, "again");
    EXPECT_TRUE(audited.have_all({"again"}));
}

TEST_P(WhenAQueueIsMissing, that_nobody_consumes_publishing_comes_back) { // B84 B86
    const auto bus = on_queues_of_others();
    broker.remove(queue_path("archive"));
    network.cut();
    publish_what_billing_handles(*bus);
    EXPECT_TRUE(logged("the queue archive: NOT_FOUND"));
    EXPECT_TRUE(testing::eventually([&] { return bus->health().transport.connected; }));
    EXPECT_THAT(bus->health().transport.last_error, ::testing::HasSubstr("queue archive"));
}

INSTANTIATE_TEST_SUITE_P(On, WhenAQueueIsMissing,
                         ::testing::Values(amqp::queue_type::quorum, amqp::queue_type::classic), name_of);

} // namespace
} // namespace ferry::scenarios
