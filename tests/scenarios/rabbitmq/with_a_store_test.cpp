#include "rabbit_shop.hpp"

#include <ferry/sqlite/store.hpp>

#include <support/temporary_folder.hpp>

#include <stdexcept>

namespace ferry::scenarios {
namespace {

/// A service on RabbitMQ that keeps what it has to remember in a file.
class WithAStore : public rabbit_shop {
protected:
    [[nodiscard]] std::unique_ptr<bus> billing(bool works) {
        auto builder = service("billing");
        builder->persistence(sqlite::store{folder / "billing.db"}, {.outbox = true, .inbox = true});
        builder->resilience([](exception_policy& policy) { policy.otherwise().redeliver({300ms}); });
        builder->handle<order_placed>([this, works](const order_placed& order, consume_context& context) {
            if (!works) {
                throw std::runtime_error{"closed"};
            }
            rounds.change([&](auto& all) { all[order.order_id] = context.attempt().redelivery; });
        });
        return started(*builder);
    }
    testing::temporary_folder folder;
    watched<std::map<std::string, int>> rounds;
};

TEST_F(WithAStore, a_failing_message_waits_there_while_everything_stops_and_starts) { // B34 B35
    {
        const auto bus = billing(false);
        bus->publish(order_placed{"1"});
        ASSERT_TRUE(testing::eventually([&] { return bus->counts().redelivered == 1; }));
        EXPECT_FALSE(is_there(queue_path("ferry.delay.00"))) << "nothing waits at the broker";
    }
    const auto bus = billing(true);
    ASSERT_TRUE(rounds.eventually([](const auto& all) { return all.contains("1"); }));
    EXPECT_EQ(rounds.get().at("1"), 1);
}

} // namespace
} // namespace ferry::scenarios
