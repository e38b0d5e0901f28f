#include "../../rabbitmq/private_instance.hpp"
#include "billing_shop.hpp"

#include <atomic>
#include <thread>

namespace ferry::scenarios {
namespace {

/// The first base of the fixture, since the others need the server.
struct owner_of_a_database {
    testing::private_instance own{"postgres"};
};

class WhenTheDatabaseDies : private owner_of_a_database, public billing_shop {
protected:
    WhenTheDatabaseDies() : billing_shop{{}, own.exported("FERRY_POSTGRES_URL")} {}

    void start_billing() {
        auto builder = billing(own_billing(), no_faults);
        builder->log({});
        builder->resilience([](exception_policy& policy) { policy.otherwise().retry(300, 100ms, backoff::constant); });
        running = started(*builder);
    }
    [[nodiscard]] bool more_are_invoiced() {
        const std::int64_t until_now = invoiced_orders();
        return in_the_end([&] { return invoiced_orders() >= until_now + 20; });
    }
    void crash() const { own.command("crash", "postgres"); }
    void restart() {
        own.command("restart", "postgres");
        database.reconnect();
    }

    fault_plan no_faults;
    std::unique_ptr<bus> running;
};

TEST_F(WhenTheDatabaseDies, handlers_and_relay_go_on_by_themselves_when_it_is_back) { // B76 B77 B74
    start_audit();
    start_billing();
    std::atomic<bool> enough = false;
    std::jthread customers{[&] {
        while (!enough) {
            place_orders(1);
        }
    }};
    EXPECT_TRUE(more_are_invoiced());
    crash();
    EXPECT_TRUE(in_the_end([&] { return running->counts().retries > 0; })) << "somebody has noticed";
    restart();
    EXPECT_TRUE(more_are_invoiced());
    enough = true;
    customers.join();
    EXPECT_TRUE(everything_is_done());
    EXPECT_TRUE(running->health().healthy()) << running->health().text();
    running->stop();
    expect_one_effect_of_each_order();
}

} // namespace
} // namespace ferry::scenarios
