#include "private_broker.hpp"
#include "rabbit_shop.hpp"

#include <ferry/sqlite/store.hpp>

#include <support/temporary_folder.hpp>

namespace ferry::scenarios {
namespace {

/// A queue that takes what it is sent and confirms nothing.
class WhenAQueueIsSilent : private testing::owner_of_a_broker, public rabbit_shop {
protected:
    WhenAQueueIsSilent() : rabbit_shop{own.api()} {
        auto shipper = service("shipping", impatient(amqp::queue_type::classic));
        shipper->serve<ship_order>([](const ship_order&) {});
        started(*shipper)->stop(); // its queue stays
        own.suspend(vhost, "ship-order");
    }
    void TearDown() override {
        own.resume(vhost, "ship-order");
        rabbit_shop::TearDown();
    }
    [[nodiscard]] std::unique_ptr<bus> billing() {
        auto builder = service("billing");
        builder->handle<order_placed>(
            [this](const order_placed& order, consume_context& context) { handled.add(order, context); });
        return started(*builder);
    }
    /// No more than `window` messages of it are on their way at once.
    [[nodiscard]] std::unique_ptr<bus> selling(std::size_t window) {
        amqp::transport_options narrow = impatient();
        narrow.window = window;
        narrow.send_timeout = 1s;
        auto builder = service("shop", narrow);
        builder->persistence(sqlite::store{folder / "shop.db"}, {.relay = {.attempts = 1}});
        return started(*builder);
    }
    testing::temporary_folder folder;
    handled_orders handled;
};

TEST_F(WhenAQueueIsSilent, rows_for_other_queues_lose_no_attempt_behind_it) { // B53
    constexpr std::size_t window = 10;
    const auto consumer = billing();
    const auto shop = selling(window);
    for (std::size_t i = 0; i < window; ++i) {
        shop->send(ship_order{std::to_string(i)});
    }
    std::vector<std::string> others;
    for (int i = 0; i < 15; ++i) {
        others.push_back(std::to_string(i));
        shop->publish(order_placed{others.back()});
    }
    EXPECT_TRUE(handled.have_all(others));
    EXPECT_TRUE(testing::eventually([&] { return shop->outbox().counts().pending == 0; }));
    const auto dead = shop->outbox().dead();
    EXPECT_EQ(dead.size(), window);
    for (const dead_message& each : dead) {
        EXPECT_EQ(each.destination, "queue:ship-order");
    }
}

} // namespace
} // namespace ferry::scenarios
