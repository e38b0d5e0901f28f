#include "rabbit_shop.hpp"

#include <thread>

namespace ferry::scenarios {
namespace {

class Health : public rabbit_shop {
protected:
    [[nodiscard]] std::unique_ptr<bus_builder> billing() {
        auto builder = service("billing", impatient(amqp::queue_type::classic)); // deleted and made again at once
        builder->handle<order_placed>([](const order_placed&) {});
        return builder;
    }
};

TEST_F(Health, can_be_asked_for_while_the_bus_starts_and_stops) { // B94
    for (int i = 0; i < 10; ++i) {
        bus running = billing()->build();
        const std::jthread probe{[&](const std::stop_token& enough) {
            while (!enough.stop_requested()) {
                EXPECT_EQ(running.health().transport.name, "rabbitmq");
            }
        }};
        running.start();
        EXPECT_TRUE(running.stop().complete());
    }
}

TEST_F(Health, tells_of_the_connection_that_is_down) {
    const auto running = started(*billing());
    ASSERT_TRUE(testing::eventually([&] { return running->health().transport.connected; }));
    network.cut(); // both, so that both have something to tell
    ASSERT_TRUE(logged("publishing: no connection"));
    ASSERT_TRUE(logged("consuming: no connection"));
    ASSERT_TRUE(testing::eventually([&] { return running->health().transport.connected; }));
    broker.remove(queue_path("billing.order-placed"));
    EXPECT_TRUE(logged("billing.order-placed is consumed no more"));
    EXPECT_TRUE(testing::eventually([&] {
        return running->health().transport.last_error.contains("billing.order-placed is consumed no more");
    })) << running->health().transport.last_error;
}

} // namespace
} // namespace ferry::scenarios
