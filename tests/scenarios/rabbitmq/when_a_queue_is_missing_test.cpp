#include "billing_shop.hpp"

#include <ferry/sqlite/store.hpp>

#include <support/temporary_folder.hpp>

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
        if (has_outbox) {
            builder->persistence(sqlite::store{folder / "billing.db"});
        }
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
    [[nodiscard]] static bool becomes_consuming(const bus& asked, const std::string& queue, bool wanted) {
        return testing::eventually([&] {
            return std::ranges::any_of(asked.health().endpoints, [&](const endpoint_health& each) {
                return each.name == queue && each.consuming == wanted;
            });
        });
    }
    testing::temporary_folder folder;
    bool has_outbox = false;
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

TEST_P(WhenAQueueIsMissing, the_outbox_goes_on) { // B53 B84 B86
    has_outbox = true;
    const auto bus = on_queues_of_others();
    broker.remove(queue_path("audit"));
    ASSERT_TRUE(logged("the queue audit: NOT_FOUND"));
    ASSERT_TRUE(testing::eventually([&] { return !bus->health().transport.connected; }));
    publish_what_billing_handles(*bus);
    EXPECT_TRUE(testing::eventually([&] { return bus->outbox().counts().pending == 0; }));
    EXPECT_FALSE(bus->health().transport.connected);
}

TEST_P(WhenAQueueIsMissing, its_endpoint_does_not_consume_until_it_is_there_again) { // B99
    const auto bus = on_queues_of_others();
    EXPECT_TRUE(becomes_consuming(*bus, "audit", true));
    broker.remove(queue_path("audit"));
    EXPECT_TRUE(becomes_consuming(*bus, "audit", false));
    ASSERT_TRUE(logged("the queue audit: NOT_FOUND"));
    EXPECT_TRUE(becomes_consuming(*bus, "audit", false)) << "also after it has tried again";
    EXPECT_TRUE(becomes_consuming(*bus, queue, true));

    two_endpoints({})->stop(); // somebody creates it again
    EXPECT_TRUE(becomes_consuming(*bus, "audit", true));
}

TEST_P(WhenAQueueIsMissing, nor_does_any_endpoint_while_the_broker_is_away) { // B99
    const auto bus = on_queues_of_others();
    network.refuse(true);
    network.cut();
    for (const char* const each : {"audit", queue}) {
        EXPECT_TRUE(becomes_consuming(*bus, each, false));
    }
    network.refuse(false);
    for (const char* const each : {"audit", queue}) {
        EXPECT_TRUE(becomes_consuming(*bus, each, true));
    }
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
