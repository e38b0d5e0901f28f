#include "rabbit_shop.hpp"

#include <ranges>
#include <stdexcept>

namespace ferry::scenarios {
namespace {

std::size_t occurrences(std::string_view part, std::string_view text) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) {
        ++count;
    }
    return count;
}

/// A service whose handler fails, with an error queue that can be filled.
class failing_shop : public rabbit_shop {
protected:
    [[nodiscard]] std::unique_ptr<bus_builder> billing(const amqp::transport_options& options) {
        auto builder = service("billing", options);
        builder->handle<order_placed>([this](const order_placed& order, consume_context& context) {
            handled.add(order, context);
            throw std::runtime_error{"no"};
        });
        builder->circuit_breaker({.enabled = false});
        builder->transport_circuit_breaker({.enabled = false}); // or they hold the endpoint before the test is over
        builder->recovery({.base_delay = 100ms, .max_delay = 400ms});
        return builder;
    }
    /// The broker refuses what is more. To be set before the queue is declared, or nobody knows since when it counts.
    void let_error_queue_hold(int count) {
        broker.put("/api/policies/" + vhost + "/full",
                   R"({"pattern": "_error$", "apply-to": "queues", "definition": {"overflow": "reject-publish",)"
                   R"( "max-length": )" +
                       std::to_string(count) + "}}");
    }
    void let_error_queue_hold_everything() { broker.remove("/api/policies/" + vhost + "/full"); }
    [[nodiscard]] bool has_dead_letters(std::size_t count) const {
        return testing::eventually([&] {
            const std::string found =
                broker.post(queue_path(error_queue) + "/get",
                            R"({"count": 99, "ackmode": "ack_requeue_true", "encoding": "auto"})");
            return occurrences("payload_bytes", found) == count;
        });
    }
    static constexpr const char* error_queue = "billing.order-placed_error";
    handled_orders handled;
};

class WhenTheErrorQueueIsGone : public failing_shop, public ::testing::WithParamInterface<amqp::queue_type> {};

TEST_P(WhenTheErrorQueueIsGone, a_failed_message_goes_back_until_it_is_there_again) { // B40
    amqp::transport_options options = impatient(GetParam());
    options.watchdog_interval = 300ms;
    const auto bus = started(*billing(options));
    broker.remove(queue_path(error_queue));
    bus->publish(order_placed{"1"});
    EXPECT_TRUE(logged("a message went back to its queue"));
    ASSERT_TRUE(testing::eventually([&] { return bus->counts().dead_lettered == 1; }))
        << "the watchdog has put it back";
    EXPECT_TRUE(has_dead_letters(1));
    EXPECT_THAT(handled.unannounced(), ::testing::IsEmpty());
}

TEST_P(WhenTheErrorQueueIsGone, a_failed_message_goes_back_while_it_is_full) { // B40
    let_error_queue_hold(0);
    const auto bus = started(*billing(impatient(GetParam())));
    for (int i = 0; i < 30; ++i) { // a quorum queue lets a few more in before it refuses
        bus->publish(order_placed{std::to_string(i)});
    }
    EXPECT_TRUE(logged("a message went back to its queue: "));
    EXPECT_TRUE(testing::eventually([&] { return bus->counts().returned >= 4; }));
    let_error_queue_hold_everything();
    ASSERT_TRUE(testing::eventually([&] { return bus->counts().dead_lettered == 30; }));
    EXPECT_TRUE(has_dead_letters(30));
    EXPECT_THAT(handled.unannounced(), ::testing::IsEmpty());
}

TEST_P(WhenTheErrorQueueIsGone, where_there_is_none_a_failed_message_comes_again_until_it_succeeds) { // B41
    watched<std::vector<std::uint32_t>> earlier;
    auto builder = service("billing", impatient(GetParam()));
    builder->endpoint("billing", [&](endpoint_builder& endpoint) {
        endpoint.no_error_queue().handle<order_placed>([&](const order_placed&, consume_context& context) {
            earlier.change([&](auto& all) { all.push_back(context.delivery().earlier_deliveries()); });
            if (earlier.get().size() < 4) {
                throw std::runtime_error{"no"};
            }
        });
    });
    const auto bus = started(*builder);
    bus->publish(order_placed{"1"});
    ASSERT_TRUE(testing::eventually([&] { return bus->counts().handled == 1; }));
    EXPECT_EQ(bus->counts().rejected, 3U);
    EXPECT_EQ(earlier.get().size(), 4U);
    EXPECT_EQ(earlier.get().front(), 0U);
    EXPECT_TRUE(std::ranges::all_of(earlier.get() | std::views::drop(1), [](std::uint32_t each) { return each > 0; }));
    EXPECT_FALSE(is_there(queue_path("billing_error")));
}

TEST_P(WhenTheErrorQueueIsGone, the_breaker_of_the_transport_opens_and_not_before) { // B49
    let_error_queue_hold(20);
    auto builder = billing(impatient(GetParam()));
    builder->transport_circuit_breaker({.enabled = true, .minimum_throughput = 10, .break_duration = 300ms});
    const auto bus = started(*builder);
    for (int i = 0; i < 20; ++i) {
        bus->publish(order_placed{std::to_string(i)});
    }
    ASSERT_TRUE(testing::eventually([&] { return bus->counts().dead_lettered == 20; }));
    EXPECT_EQ(bus->counts().breaks, 0U) << "handlers fail, and the broker does not";
    for (int i = 20; i < 40; ++i) {
        bus->publish(order_placed{std::to_string(i)});
    }
    ASSERT_TRUE(testing::eventually([&] { return bus->counts().breaks > 0; }));
    let_error_queue_hold_everything();
    ASSERT_TRUE(testing::eventually([&] { return bus->counts().dead_lettered == 40; }));
    EXPECT_THAT(handled.unannounced(), ::testing::IsEmpty());
}

class WhenTheErrorQueueOfAPoisonousMessageIsGone : public failing_shop {};

TEST_F(WhenTheErrorQueueOfAPoisonousMessageIsGone, it_is_given_up_when_the_queue_is_there_again) { // B40
    amqp::transport_options options = impatient(amqp::queue_type::classic);
    options.delivery_limit = 1;
    let_error_queue_hold(0);
    const auto bus = started(*billing(options));
    bus->publish(order_placed{"1"});
    ASSERT_TRUE(logged("billing.order-placed_error is out of reach; it goes back"));
    let_error_queue_hold_everything();
    EXPECT_TRUE(logged("never settled; it went to billing.order-placed_error"));
    EXPECT_TRUE(has_dead_letters(1));
    EXPECT_EQ(handled.times("1"), 2) << "the limit, and nobody got it after that";
    EXPECT_THAT(handled.unannounced(), ::testing::IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(On, WhenTheErrorQueueIsGone,
                         ::testing::Values(amqp::queue_type::quorum, amqp::queue_type::classic), name_of);

} // namespace
} // namespace ferry::scenarios
