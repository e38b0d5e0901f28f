#include "postgres_shop.hpp"

namespace ferry::scenarios {
namespace {

class OutboxOnPostgres : public postgres_shop {};

TEST_F(OutboxOnPostgres, goes_on_when_a_confirm_comes_after_the_grace) { // B62
    const auto small = std::make_shared<memory::broker>(memory::broker_options{.max_queue_messages = 1});
    broker = small;
    auto shipper = shop::service("shipping");
    shipper->serve<ship_order>([](const ship_order&) {});
    started(*shipper)->stop(); // its queue stays, and nobody takes anything out of it
    persistence_options options;
    options.relay.publish_immediately = true;
    auto builder = timed_service("shop", options);
    const auto selling = started(*builder);
    selling->send(ship_order{"1"}, ferry::immediate);
    selling->send(ship_order{"2"}); // committed and sent; the queue has no room for it
    ASSERT_EQ(rows_in_outbox(), 1);

    time.advance(6s); // the relay takes it over
    ASSERT_TRUE(testing::eventually([&] {
        return database.number("select count(*) from pg_stat_activity where datname"
                               " = current_database() and state = 'idle in"
                               " transaction'") == 1;
    }));

    EXPECT_TRUE(testing::eventually([&] {
        small->purge("ship-order");
        return rows_in_outbox() == 0;
    }));
}

} // namespace
} // namespace ferry::scenarios
