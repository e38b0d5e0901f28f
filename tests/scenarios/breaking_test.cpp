#include "shop.hpp"

#include <atomic>
#include <stdexcept>

namespace ferry::scenarios {
namespace {

/// An endpoint whose dependency can be out of order, on a clock that the test moves.
class Breaking : public shop {
protected:
    Breaking() { broker = std::make_shared<memory::broker>(memory::broker_options{}, clock{time}); }

    [[nodiscard]] std::unique_ptr<bus> billing(const std::function<void(bus_builder&)>& configure = {}) {
        auto builder = service("billing");
        builder->clock(time).concurrency_limit(1).handle<order_placed>([this](const order_placed& order) {
            handled.add(order.order_id);
            if (out_of_order) {
                throw std::runtime_error{"the database is down"};
            }
        });
        if (configure) {
            configure(*builder);
        }
        return started(*builder);
    }
    void publish(bus& where, int count) {
        for (int i = 0; i < count; ++i) {
            where.publish(order_placed{std::to_string(published++)});
        }
    }
    [[nodiscard]] bool await_log(const std::string& part) {
        return log.eventually_contains([&](const std::string& line) { return line.contains(part); });
    }

    static constexpr const char* queue = "billing.order-placed";
    testing::manual_clock time;
    std::atomic<bool> out_of_order = true;
    record<std::string> handled;
    int published = 0;
};

TEST_F(Breaking, pauses_the_endpoint_and_gives_back_what_was_prefetched) { // B44
    const auto bus = billing();
    publish(*bus, 30);
    ASSERT_TRUE(await_log("circuit_breaker open"));
    time.await_waiter_for(time.now() + 30s);
    ASSERT_TRUE(testing::eventually([&] { return broker->depth("billing.order-placed_error") == 10; }));
    EXPECT_EQ(handled.all().size(), 10U) << "the minimum throughput";
    EXPECT_EQ(broker->depth(queue), 20U) << "the rest waits in its queue, not in the error queue";
}

TEST_F(Breaking, tries_one_message_after_the_break_and_goes_on_when_it_succeeds) { // B44 B46
    const auto bus = billing();
    publish(*bus, 30);
    time.await_waiter_for(time.now() + 30s);
    out_of_order = false;
    time.advance(30s);
    ASSERT_TRUE(await_log("circuit_breaker closed"));
    ASSERT_TRUE(handled.reaches(30));
    bus->stop();
    EXPECT_EQ(bus->counts().handled, 20U);
    EXPECT_EQ(bus->counts().breaks, 1U);
}

TEST_F(Breaking, pauses_again_when_that_one_fails) { // B44
    const auto bus = billing();
    publish(*bus, 30);
    const time_point opened = time.now();
    time.await_waiter_for(opened + 30s);
    time.advance(30s);
    time.await_waiter_for(opened + 60s);
    EXPECT_EQ(handled.all().size(), 11U) << "one, and no more";
    bus->stop();
    EXPECT_EQ(bus->counts().breaks, 2U);
    EXPECT_EQ(broker->depth(queue), 19U);
}

TEST_F(Breaking, tries_a_message_that_comes_long_after_the_break) { // B44
    const auto bus = billing();
    publish(*bus, 10);
    time.await_waiter_for(time.now() + 30s);
    out_of_order = false;
    time.advance(10min);
    publish(*bus, 5);
    ASSERT_TRUE(handled.reaches(15));
}

TEST_F(Breaking, shows_in_health) { // B46
    const auto bus = billing();
    bus_health health = bus->health();
    EXPECT_TRUE(health.healthy());
    EXPECT_TRUE(health.transport.connected);
    ASSERT_EQ(health.endpoints.size(), 1U);
    EXPECT_EQ(health.endpoints[0].breaker, "closed");
    EXPECT_TRUE(health.endpoints[0].consuming);

    const time_point opened = time.now();
    publish(*bus, 10);
    time.await_waiter_for(opened + 30s);
    ASSERT_TRUE(testing::eventually([&] {
        health = bus->health();
        return health.endpoints[0].in_flight == 0;
    }));
    EXPECT_FALSE(health.healthy());
    EXPECT_EQ(health.endpoints[0].breaker, "open");
    EXPECT_FALSE(health.endpoints[0].consuming);
    EXPECT_EQ(health.endpoints[0].held_by, std::vector<std::string>{"circuit_breaker"});
    EXPECT_EQ(health.endpoints[0].held_until, opened + 30s);
    EXPECT_EQ(health.endpoints[0].last_error, "std::runtime_error: the database is down");
    EXPECT_THAT(health.text(),
                ::testing::HasSubstr("endpoint billing.order-placed: not consuming, 0 in flight, breaker "
                                     "open until 2030-01-01T00:00:30Z\n  last error at "
                                     "2030-01-01T00:00:00Z: std::runtime_error: the database is down"));
    EXPECT_THAT(health.json(), ::testing::HasSubstr(R"("held_by":["circuit_breaker"])"));
    bus->stop();
    EXPECT_FALSE(bus->health().running);
    EXPECT_FALSE(bus->health().transport.connected);
}

TEST_F(Breaking, does_not_happen_when_it_is_switched_off) { // B44
    const auto bus = billing([](bus_builder& builder) { builder.circuit_breaker({.enabled = false}); });
    publish(*bus, 30);
    ASSERT_TRUE(handled.reaches(30));
    bus->stop();
    EXPECT_EQ(bus->counts().breaks, 0U);
}

TEST_F(Breaking, takes_its_options_value_by_value_from_the_scopes) { // B44
    auto builder = std::make_unique<bus_builder>("billing");
    builder->circuit_breaker({.failure_ratio = 0.9, .minimum_throughput = 3, .break_duration = 1min});
    builder->transport(memory::transport{}, [](transport_builder& transport) {
        transport.circuit_breaker({.failure_ratio = 0.8, .sampling_window = 5s});
    });
    builder->endpoint("desk", [](endpoint_builder& endpoint) {
        endpoint.circuit_breaker({.failure_ratio = 0.7}).handle<order_placed>([](const order_placed&) {});
    });
    EXPECT_EQ(builder->build().describe().endpoints[0].circuit_breaker, "70 % of at least 3 in 5 s, for 1 min");
}

TEST_F(Breaking, is_not_driven_by_handlers_on_the_transports_side) { // B49
    const auto bus = billing([](bus_builder& builder) { builder.circuit_breaker({.enabled = false}); });
    publish(*bus, 100);
    EXPECT_TRUE(testing::eventually([&] { return bus->counts().dead_lettered == 100; }));
    EXPECT_EQ(bus->counts().breaks, 0U);
}

TEST_F(Breaking, pauses_the_endpoint_when_the_error_queue_is_out_of_reach) { // B49
    broker = std::make_shared<memory::broker>(memory::broker_options{.max_queue_messages = 3, .max_waiting_sends = 0},
                                              clock{time});
    const auto bus = billing([](bus_builder& builder) {
        builder.circuit_breaker({.enabled = false}).recovery({.base_delay = 0s, .max_delay = 0s});
    });
    for (int i = 0; i < 3; ++i) {
        inject("billing.order-placed_error", order("full"));
    }
    publish(*bus, 3);
    ASSERT_TRUE(await_log("transport_circuit_breaker open"));
    time.await_waiter_for(time.now() + 30s);
    EXPECT_TRUE(testing::eventually([&] { return broker->depth(queue) == 3; })) << "nothing is lost";
    EXPECT_EQ(bus->health().endpoints[0].held_by, std::vector<std::string>{"transport_circuit_breaker"});

    broker->purge("billing.order-placed_error");
    time.advance(30s);
    EXPECT_TRUE(testing::eventually([&] { return broker->depth("billing.order-placed_error") == 3; }));
    EXPECT_TRUE(await_log("transport_circuit_breaker closed"));
}

TEST_F(Breaking, tries_the_next_when_a_test_message_never_came_to_the_breaker) {
    const auto bus = billing([this](bus_builder& builder) {
        builder.use_before("circuit_breaker", "swallow", [this](receive_context& message, next<receive_context> next) {
            if (!out_of_order && message.envelope().body.view().contains("\"10\"")) {
                return message.settle(settlement::handled);
            }
            next(message);
        });
    });
    publish(*bus, 12);
    time.await_waiter_for(time.now() + 30s);
    out_of_order = false;
    time.advance(30s);
    ASSERT_TRUE(await_log("circuit_breaker closed"));
    EXPECT_TRUE(handled.reaches(11)) << "the ten that failed, and the twelfth";
}

TEST_F(Breaking, leaves_other_endpoints_alone) { // B48
    record<std::string> shipped;
    const auto bus = billing([&](bus_builder& builder) {
        builder.handle<ship_order>([&](const ship_order& order) { shipped.add(order.order_id); });
    });
    publish(*bus, 10);
    time.await_waiter_for(time.now() + 30s);
    bus->publish(ship_order{"17"});
    EXPECT_TRUE(shipped.reaches(1));
}

TEST_F(Breaking, does_not_hold_up_a_stop) { // B94
    const auto bus = billing();
    publish(*bus, 30);
    time.await_waiter_for(time.now() + 30s);
    EXPECT_TRUE(bus->stop().complete());
    EXPECT_EQ(broker->depth(queue), 20U);
}

} // namespace
} // namespace ferry::scenarios
