#include "private_broker.hpp"
#include "rabbit_shop.hpp"

#include <ferry/sqlite/store.hpp>

#include <support/temporary_folder.hpp>
#include <support/test_host.hpp>
#include <support/test_sinks.hpp>

namespace ferry::scenarios {
namespace {

/// A queue that takes what it is sent and confirms nothing.
class WhenAQueueIsSilent : protected testing::owner_of_a_broker, public rabbit_shop {
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

/// Two exchanges of others: one leads to a queue that takes everything, the other one also to the silent queue.
class WhenAQueueBehindAnExchangeIsSilent : public WhenAQueueIsSilent {
protected:
    struct ended {
        std::string exchange;
        send_status status;
        bool never_left;
        bool operator==(const ended&) const = default;
    };

    WhenAQueueBehindAnExchangeIsSilent() {
        others.start(host.lend());
        others.declare({.queues = {{.name = "good"}},
                        .exchanges = {{.name = "whole"}, {.name = "half"}},
                        .bindings = {{"whole", address::queue("good")},
                                     {"half", address::queue("good")},
                                     {"half", address::queue("ship-order")}}});
    }
    [[nodiscard]] static amqp::transport_options options(amqp::unconfirmed when_connection_breaks, duration timeout) {
        amqp::transport_options options = impatient(amqp::queue_type::classic);
        options.when_connection_breaks = when_connection_breaks;
        options.send_timeout = timeout;
        return options;
    }
    void start(amqp::unconfirmed when_connection_breaks, duration timeout) {
        carrier = std::make_unique<amqp::transport>(url(network.port()), options(when_connection_breaks, timeout));
        carrier->start(host.lend());
        carrier->declare({.queues = {{.name = "good"}}});
        connections = network.connections();
    }
    void send(const std::string& exchange) {
        envelope message;
        message.destination = address::exchange(exchange);
        message.body.assign(exchange);
        carrier->send(message, [this, exchange](const send_outcome& outcome) {
            outcomes.change([&](auto& all) { all.push_back({exchange, outcome.status, outcome.never_left}); });
        });
    }
    [[nodiscard]] std::vector<ended> told(std::size_t count) const {
        EXPECT_TRUE(outcomes.eventually([&](const auto& all) { return all.size() >= count; }));
        return outcomes.get();
    }
    void TearDown() override {
        if (carrier) {
            carrier->stop();
        }
        others.stop();
        WhenAQueueIsSilent::TearDown();
    }

    testing::test_host host;
    amqp::transport others{url(broker.amqp_port()), impatient(amqp::queue_type::classic)};
    std::unique_ptr<amqp::transport> carrier;
    int connections = 0;
    watched<std::vector<ended>> outcomes;
};

TEST_F(WhenAQueueBehindAnExchangeIsSilent, those_to_others_go_on_and_those_to_it_have_left) { // B52 B84
    start(amqp::unconfirmed::fail, 2s);
    testing::accepting_sink sink;
    const auto subscription = others.consume("good", {}, sink);
    for (int i = 0; i < 3; ++i) {
        send("half");
        send("whole");
    }
    EXPECT_THAT(told(3), ::testing::Each(ended{"whole", send_status::confirmed, false}));
    EXPECT_TRUE(sink.await(6)) << "the broker has all of them, whoever confirms";
    const auto all = told(6);
    EXPECT_EQ(std::ranges::count(all, ended{"half", send_status::failed, false}), 3);
    EXPECT_EQ(network.connections(), connections);
}

TEST_F(WhenAQueueBehindAnExchangeIsSilent, a_stop_fails_what_it_has_not_confirmed) { // B94
    start(amqp::unconfirmed::resend, 30s);
    send("half");
    send("whole");
    EXPECT_THAT(told(1), ::testing::ElementsAre(ended{"whole", send_status::confirmed, false}));
    carrier->stop();
    EXPECT_THAT(told(2), ::testing::Contains(ended{"half", send_status::failed, false}));
}

TEST_F(WhenAQueueBehindAnExchangeIsSilent, a_closed_connection_is_not_taken_for_a_refusal) { // B84
    start(amqp::unconfirmed::resend, 30s);
    network.hold_client(true); // the first of each is being tried when the connection ends
    for (int i = 0; i < 3; ++i) {
        send("whole");
    }
    own.close_connections(vhost);
    network.hold_client(false);
    EXPECT_THAT(told(3), ::testing::Each(ended{"whole", send_status::confirmed, false}));
}

} // namespace
} // namespace ferry::scenarios
