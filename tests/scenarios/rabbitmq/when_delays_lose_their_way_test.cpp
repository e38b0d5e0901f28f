#include "billing_shop.hpp"

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

INSTANTIATE_TEST_SUITE_P(On, WhenDelaysLoseTheirWay,
                         ::testing::Values(amqp::queue_type::quorum, amqp::queue_type::classic), name_of);

} // namespace
} // namespace ferry::scenarios
