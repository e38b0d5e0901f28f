#include "billing_shop.hpp"
#include "waiting_rows.hpp"

#include <ferry/amqp/transport.hpp>

#include <support/test_host.hpp>

namespace ferry::scenarios {
namespace {

class WhenInstancesShareADatabase : public billing_shop {
protected:
    [[nodiscard]] bool have_started(int processes) {
        return in_the_end(
            [&] { return database.number("select count(*) from diary where entry = 'started'") == processes; });
    }
    /// Sends an order under a given id, as often as told.
    void send_order(const uuid& id, int times) {
        testing::test_host host;
        amqp::transport sender{url(broker.amqp_port()), impatient()};
        sender.start(host.lend());
        envelope order;
        order.message_id = id;
        order.message_type = message_type::of<order_placed>().urn;
        order.destination = address::queue(billing_queue);
        order.body.assign(R"({"order_id":"1"})");
        watched<int> confirmed;
        for (int i = 0; i < times; ++i) {
            sender.send(order, [&](const send_outcome& outcome) {
                confirmed.change([&](int& count) { count += outcome.status == send_status::confirmed ? 1 : 0; });
            });
        }
        EXPECT_TRUE(confirmed.eventually([&](int count) { return count == times; }));
        sender.stop();
    }
    [[nodiscard]] std::int64_t waiting_for_locks() {
        return database.number("select count(*) from pg_stat_activity where datname = current_database()"
                               " and wait_event_type = 'Lock'");
    }
};

TEST_F(WhenInstancesShareADatabase, their_relays_share_the_rows_and_send_each_once) { // B56
    constexpr int rows = 2000;
    start_audit();
    auto one = service_process();
    auto other = service_process();
    ASSERT_TRUE(have_started(2));
    write_rows(*testing::started_store(database.url()), rows);
    EXPECT_TRUE(in_the_end([&] { return heard_orders() == rows && rows_in_outbox() == 0; }));
    stop(one);
    stop(other);
    EXPECT_EQ(database.number("select sum(sent) from diary"), rows) << "each was sent once";
    EXPECT_GT(database.number("select min(sent) from diary where entry = 'ended'"), 0) << "both did their part";
    heard.look([](const heard_invoices& all) {
        for (const auto& [order, messages] : all) {
            EXPECT_EQ(messages.size(), 1U) << order;
            EXPECT_EQ(messages.begin()->second, 1) << order;
        }
    });
}

TEST_F(WhenInstancesShareADatabase, a_message_that_comes_to_two_of_them_at_once_has_one_effect) { // B71
    start_audit();
    auto one = service_process();
    auto other = service_process();
    ASSERT_TRUE(have_started(2));
    // Whoever claims it now waits for the end of this transaction, so that both are at it at the same moment.
    const uuid id = id_source{3}.next(clock{}());
    pqxx::connection third{database.url()};
    pqxx::work claim{third};
    claim.exec("insert into ferry.inbox values ($1, $2, 0)",
               pqxx::params{id.to_string(), std::string{billing_queue} + "/order-placed"});
    send_order(id, 2);
    EXPECT_TRUE(in_the_end([&] { return waiting_for_locks() == 2; }));
    claim.abort();
    orders = 1;
    EXPECT_TRUE(everything_is_done());
    stop(one);
    stop(other);
    expect_one_effect_of_each_order();
    EXPECT_EQ(database.number("select sum(sent) from diary"), 1);
}

} // namespace
} // namespace ferry::scenarios
