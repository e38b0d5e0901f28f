#include "billing_shop.hpp"

#include <boost/asio/use_future.hpp>

#include <stdexcept>

namespace ferry::scenarios {
namespace {

/// Somebody takes away what delayed messages pass through.
class WhenDelaysLoseTheirWay : public billing_shop {
protected:
    /// Fails the first time it gets an order, and is put back for a moment.
    [[nodiscard]] std::unique_ptr<bus> failing_once(const amqp::transport_options& options) {
        auto builder = service("billing", options);
        builder->resilience([](exception_policy& policy) { policy.otherwise().redeliver({20ms}); });
        builder->circuit_breaker({.enabled = false}); // every message fails once
        builder->handle<order_placed>([this](const order_placed& order, consume_context& context) {
            if (context.attempt().redelivery == 0) {
                throw std::runtime_error{"not yet"};
            }
            handled.add(order, context);
        });
        return started(*builder);
    }
    [[nodiscard]] std::string delay_queue(const std::string& name) const {
        return queue_path((GetParam() == amqp::queue_type::quorum ? "ferry.delay." : "ferry.delay.classic.") + name);
    }
};

TEST_P(WhenDelaysLoseTheirWay, a_queue_that_was_deleted_gets_its_redeliveries_again) { // B34 B86
    const auto bus = failing_once(impatient(GetParam()));
    bus->publish(order_placed{"before"});
    ASSERT_TRUE(handled.have_all({"before"}));
    broker.remove(queue_path(queue));
    ASSERT_TRUE(logged("billing.order-placed is consumed no more: the broker has cancelled it"));
    expect_to_work_again(*bus);
}

TEST_P(WhenDelaysLoseTheirWay, the_watchdog_puts_a_level_of_delay_back) { // B34 B86
    const auto bus = failing_once(watchful());
    expect_to_work_again(*bus);
    broker.remove(delay_queue("04")); // of 20 ms, the first 16
    ASSERT_TRUE(testing::eventually([&] { return is_there(delay_queue("04")); }));
    expect_to_work_again(*bus);
}

TEST_P(WhenDelaysLoseTheirWay, whoever_sends_into_a_gap_is_told_and_finds_it_closed) { // B34
    amqp::transport_options options = impatient(GetParam());
    options.watchdog_interval = 0s;
    const auto bus = billing(options);
    const auto publish_later = [&](const std::string& id) {
        bus->async_publish(order_placed{id}, {.deliver_at = clock{}() + 50ms}, boost::asio::use_future).get();
    };
    publish_later("before");
    ASSERT_TRUE(handled.have_all({"before"}));
    broker.remove(delay_queue("05")); // of 50 ms, the first 32
    try {
        publish_later("lost");
        ADD_FAILURE() << "it was sent";
    } catch (const transport_error& failure) {
        EXPECT_TRUE(failure.is_transient());
        EXPECT_THAT(failure.what(), ::testing::HasSubstr("what delays messages was missing"));
    }
    publish_later("after");
    EXPECT_TRUE(handled.have_all({"after"}));
    EXPECT_EQ(handled.times("lost"), 0);
}

TEST_P(WhenDelaysLoseTheirWay, a_missing_exchange_behind_the_delays_is_not_taken_for_the_destination) { // B6 B34
    amqp::transport_options options = impatient(GetParam());
    options.watchdog_interval = 0s;
    const auto bus = billing(options);
    const auto send_later = [&](const std::string& id, const std::string& to) {
        const dispatch_options where{.destination = address::queue(to), .deliver_at = clock{}() + 50ms};
        bus->async_send(order_placed{id}, where, boost::asio::use_future).get();
    };
    send_later("before", queue);
    ASSERT_TRUE(handled.have_all({"before"}));
    broker.put(queue_path("archive"), R"({"durable": true})"); // so far nothing was delayed on its way there
    const char* const end =
        GetParam() == amqp::queue_type::quorum ? "ferry.delay.deliver" : "ferry.delay.classic.deliver";
    broker.remove("/api/exchanges/" + vhost + "/" + end);
    try {
        send_later("lost", "archive");
        ADD_FAILURE() << "it was sent";
    } catch (const transport_error& failure) {
        EXPECT_TRUE(failure.is_transient());
        EXPECT_THAT(failure.what(), ::testing::HasSubstr("what delays messages was missing"));
    }
    send_later("archived", "archive");
    send_later("after", queue);
    EXPECT_TRUE(handled.have_all({"after"}));
}

TEST_P(WhenDelaysLoseTheirWay, what_was_to_be_delayed_is_delayed_on_an_empty_broker) { // B84
    amqp::transport_options options = impatient(GetParam());
    options.when_connection_breaks = amqp::unconfirmed::resend;
    options.heartbeat = 60s; // so that it is the test that ends the connections
    const auto bus = billing(options);
    const auto publish_later = [&](const std::string& id) {
        return bus->async_publish(order_placed{id}, {.deliver_at = clock{}() + 50ms}, boost::asio::use_future);
    };
    publish_later("before").get();
    ASSERT_TRUE(handled.have_all({"before"}));
    network.swallow_from_broker(true);
    const int until_now = network.swallowed();
    auto unconfirmed = publish_later("unconfirmed");
    ASSERT_TRUE(testing::eventually([&] { return network.swallowed() > until_now; })); // its confirm
    network.refuse(true);
    network.cut();
    network.swallow_from_broker(false);
    broker.remove("/api/vhosts/" + vhost);
    broker.make_vhost(vhost);
    network.refuse(false);
    EXPECT_NO_THROW(unconfirmed.get());
    EXPECT_TRUE(handled.have_all({"unconfirmed"}));
}

INSTANTIATE_TEST_SUITE_P(On, WhenDelaysLoseTheirWay,
                         ::testing::Values(amqp::queue_type::quorum, amqp::queue_type::classic), name_of);

} // namespace
} // namespace ferry::scenarios
