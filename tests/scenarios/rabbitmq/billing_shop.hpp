#pragma once

#include "rabbit_shop.hpp"

namespace ferry::scenarios {

/// A service that bills orders, and one that only publishes them.
class billing_shop : public rabbit_shop, public ::testing::WithParamInterface<amqp::queue_type> {
protected:
    [[nodiscard]] static amqp::transport_options watchful() {
        amqp::transport_options options = impatient(GetParam());
        options.watchdog_interval = 100ms;
        options.operation_timeout = 500ms;
        return options;
    }
    [[nodiscard]] std::unique_ptr<bus> billing(const amqp::transport_options& options) {
        auto builder = service("billing", options);
        builder->handle<order_placed>(
            [this](const order_placed& order, consume_context& context) { handled.add(order, context); });
        return started(*builder);
    }
    [[nodiscard]] std::unique_ptr<bus> a_shop() {
        auto builder = service("shop");
        return started(*builder);
    }
    /// Publishes until messages come through, since those before may have nowhere to go; after that none is lost.
    void expect_to_work_again(bus& from) {
        std::vector<std::string> sent;
        const auto publish_next = [&] {
            sent.push_back(std::to_string(published++));
            publish_surely(from, sent.back());
        };
        ASSERT_TRUE(testing::eventually([&] {
            publish_next();
            return handled.have_any(sent);
        }));
        sent.clear();
        for (int i = 0; i < 20; ++i) {
            publish_next();
        }
        EXPECT_TRUE(handled.have_all(sent));
        EXPECT_THAT(handled.unannounced(), ::testing::IsEmpty());
        EXPECT_TRUE(testing::eventually([&] { return from.health().transport.connected; }));
    }
    [[nodiscard]] std::string exchange_path() const {
        return "/api/exchanges/" + vhost + "/ferry.scenarios.order-placed";
    }
    [[nodiscard]] std::string binding_path() const {
        return "/api/bindings/" + vhost + "/e/ferry.scenarios.order-placed/q/" + queue + "/~";
    }
    static constexpr const char* queue = "billing.order-placed";
    handled_orders handled;
    int published = 0;
};

} // namespace ferry::scenarios
