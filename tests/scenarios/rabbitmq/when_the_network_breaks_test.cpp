#include "rabbit_shop.hpp"

#include <support/test_host.hpp>

#include <csignal>
#include <stdexcept>
#include <thread>

namespace ferry::scenarios {
namespace {

class WhenTheNetworkBreaks : public rabbit_shop {
protected:
    /// Returns when both connections are known to be gone.
    void break_for_good(const bus& whose) {
        network.refuse(true);
        network.cut();
        EXPECT_TRUE(logged("publishing: no connection"));
        EXPECT_TRUE(logged("consuming: no connection"));
        EXPECT_FALSE(whose.health().transport.connected);
    }
    [[nodiscard]] std::unique_ptr<bus> billing(const amqp::transport_options& options = impatient()) {
        auto builder = service("billing", options);
        builder->handle<order_placed>(
            [this](const order_placed& order, consume_context& context) { handled.add(order, context); });
        return started(*builder);
    }
    handled_orders handled;
};

TEST_F(WhenTheNetworkBreaks, ten_times_every_confirmed_message_is_handled) { // B84 B93
    const auto consumer = billing();
    auto builder = service("shop");
    const auto shop = started(*builder);
    std::vector<std::string> confirmed;
    for (int i = 0; i < 300; ++i) {
        if (i % 30 == 15) {
            network.cut();
        }
        const std::string id = std::to_string(i);
        try {
            shop->publish(order_placed{id});
            confirmed.push_back(id);
        } catch (const transport_error& failure) {
            EXPECT_TRUE(failure.is_transient()) << failure.what();
        }
    }
    EXPECT_GE(confirmed.size(), 250U);
    EXPECT_TRUE(handled.have_all(confirmed));
    expect_nothing_twice(*shop, handled);
    EXPECT_GE(network.connections(), 22) << "two of each service, and again after every cut";
}

TEST_F(WhenTheNetworkBreaks, the_next_host_of_the_url_is_used) { // B84
    testing::faulty_proxy another{broker.amqp_port()};
    auto builder = service("billing");
    builder->transport(amqp::transport{"amqp://127.0.0.1:" + std::to_string(network.port()) +
                                           ",127.0.0.1:" + std::to_string(another.port()) + "/" + vhost,
                                       impatient()});
    builder->handle<order_placed>(
        [this](const order_placed& order, consume_context& context) { handled.add(order, context); });
    const auto running = started(*builder);
    std::vector<std::string> confirmed;
    for (testing::faulty_proxy* gone : {&network, &another, &network}) {
        testing::faulty_proxy& left = gone == &network ? another : network;
        left.refuse(false);
        gone->refuse(true);
        gone->cut();
        confirmed.push_back(std::to_string(confirmed.size()));
        publish_surely(*running, confirmed.back());
        EXPECT_TRUE(handled.have_all(confirmed));
    }
    expect_nothing_twice(*running, handled);
    EXPECT_GE(another.connections(), 2);
    EXPECT_GE(network.connections(), 2);
}

TEST_F(WhenTheNetworkBreaks, while_handlers_run_their_messages_come_again) { // B84 B93
    watched<bool> release{false};
    watched<std::vector<std::uint32_t>> seen;
    auto builder = service("billing");
    builder->handle<order_placed>([&](const order_placed&, consume_context& context) {
        const std::uint32_t earlier = context.delivery().earlier_deliveries();
        seen.change([&](auto& all) { all.push_back(earlier); });
        if (earlier == 0) {
            (void)release.eventually([](bool yes) { return yes; });
        }
    });
    const auto consumer = started(*builder);
    publish_surely(*consumer, "1");
    ASSERT_TRUE(seen.eventually([](const auto& all) { return all.size() == 1; }));
    network.cut();
    ASSERT_TRUE(seen.eventually([](const auto& all) { return all.size() == 2; })) << "its acknowledgement was lost";
    release.change([](bool& yes) { yes = true; });
    EXPECT_GT(seen.get()[1], 0U) << "and it says that it comes again";
}

TEST_F(WhenTheNetworkBreaks, into_single_bytes_everything_still_works) { // B84
    network.trickle(true);
    const auto consumer = billing();
    std::vector<std::string> confirmed;
    for (int i = 0; i < 30; ++i) {
        confirmed.push_back(std::to_string(i));
        consumer->publish(order_placed{confirmed.back()});
    }
    EXPECT_TRUE(handled.have_all(confirmed));
    expect_nothing_twice(*consumer, handled);
}

TEST_F(WhenTheNetworkBreaks, before_the_start_the_bus_waits_and_says_so) { // B85
    network.refuse(true);
    auto builder = service("billing");
    builder->handle<order_placed>(
        [this](const order_placed& order, consume_context& context) { handled.add(order, context); });
    bus consumer = builder->build();
    std::jthread starter{[&] { consumer.start(); }};
    ASSERT_TRUE(logged("no connection to 127.0.0.1"));
    EXPECT_FALSE(consumer.health().running);
    network.refuse(false);
    starter.join();
    consumer.publish(order_placed{"1"});
    EXPECT_TRUE(handled.have_all({"1"}));
    EXPECT_TRUE(consumer.health().transport.connected);
}

TEST_F(WhenTheNetworkBreaks, before_the_start_a_host_that_accepts_and_says_nothing_is_given_up) { // B85 B89
    network.swallow(true);
    amqp::transport_options options = impatient();
    options.connect_timeout = 100ms;
    for (const std::string scheme : {"amqp", "amqps"}) {
        SCOPED_TRACE(scheme);
        const int until_now = network.connections();
        testing::test_host host;
        amqp::transport carrier{url(network.port()).replace(0, 4, scheme), options};
        carrier.start(host.lend());
        EXPECT_TRUE(testing::eventually([&] { return network.connections() >= until_now + 2; })) << "tried again";
        EXPECT_THAT(carrier.health().last_error, ::testing::HasSubstr("it did not answer in time"));
        carrier.stop();
    }
    network.swallow(false);
}

TEST_F(WhenTheNetworkBreaks, before_the_start_the_bus_gives_up_when_it_is_told_to) { // B85
    network.refuse(true);
    amqp::transport_options options = impatient();
    options.give_up_after = 300ms;
    auto builder = service("billing", options);
    bus consumer = builder->build();
    try {
        consumer.start();
        FAIL() << "started without a broker";
    } catch (const transport_error& failure) {
        EXPECT_THAT(failure.what(), ::testing::HasSubstr("there is no RabbitMQ at amqp://guest@127.0.0.1"));
        EXPECT_THAT(failure.what(), ::testing::Not(::testing::HasSubstr("guest:guest")));
    }
}

/// Runs until it is told to end, and says so.
class run_in_the_background {
public:
    explicit run_in_the_background(bus& which)
        : thread_{[this, &which] {
              EXPECT_TRUE(which.run().complete());
              ended_.change([](bool& yes) { yes = true; });
          }} {}
    [[nodiscard]] bool ends() const {
        return ended_.eventually([](bool yes) { return yes; });
    }

private:
    watched<bool> ended_{false};
    std::jthread thread_;
};

TEST_F(WhenTheNetworkBreaks, before_the_start_a_signal_ends_the_run_at_once) { // B85 B94
    network.refuse(true);
    bus consumer = service("billing")->build();
    const run_in_the_background running{consumer};
    ASSERT_TRUE(logged("no connection to 127.0.0.1"));
    std::raise(SIGTERM);
    EXPECT_TRUE(running.ends());
    network.refuse(false); // or a run that does not end would never
}

TEST_F(WhenTheNetworkBreaks, before_the_start_a_signal_ends_a_run_whose_broker_does_not_answer) { // B85 B94
    network.swallow(true);
    bus consumer = service("billing")->build();
    const run_in_the_background running{consumer};
    ASSERT_TRUE(testing::eventually([&] { return network.swallowed() > 0; }));
    std::raise(SIGTERM);
    EXPECT_TRUE(running.ends());
    network.swallow(false);
    network.cut();
}

TEST_F(WhenTheNetworkBreaks, before_the_start_whoever_stops_the_bus_ends_the_start) { // B85 B94
    network.refuse(true);
    bus consumer = service("billing")->build();
    std::jthread starter{[&] { EXPECT_THROW(consumer.start(), not_running); }};
    ASSERT_TRUE(logged("no connection to 127.0.0.1"));
    EXPECT_TRUE(consumer.stop().complete());
}

TEST_F(WhenTheNetworkBreaks, a_send_fails_in_time_and_says_why) { // B84
    amqp::transport_options options = impatient();
    options.send_timeout = 300ms;
    const auto consumer = billing(options);
    break_for_good(*consumer);
    try {
        consumer->publish(order_placed{"1"});
        FAIL() << "sent without a connection";
    } catch (const transport_error& failure) {
        EXPECT_THAT(failure.what(), ::testing::HasSubstr("there is no connection to the broker"));
        EXPECT_TRUE(failure.is_transient());
    }
    EXPECT_THAT(consumer->health().transport.last_error, ::testing::HasSubstr("127.0.0.1"));
}

TEST_F(WhenTheNetworkBreaks, many_first_sends_fail_within_one_timeout) { // B84
    constexpr int senders = 20;
    amqp::transport_options options = impatient();
    options.send_timeout = 300ms;
    const auto consumer = billing(options);
    break_for_good(*consumer);
    std::atomic<int> failures = 0;
    std::vector<std::jthread> threads;
    const auto before = std::chrono::steady_clock::now();
    for (int i = 0; i < senders; ++i) {
        threads.emplace_back([&] {
            try {
                consumer->publish(label_printed{"of a type whose exchange has to be declared first"});
            } catch (const transport_error&) {
                ++failures;
            }
        });
    }
    threads.clear();
    EXPECT_LT(std::chrono::steady_clock::now() - before, senders / 2 * options.send_timeout) << "one after the other";
    EXPECT_EQ(failures, senders);
}

TEST_F(WhenTheNetworkBreaks, stopping_does_not_wait_for_it) { // B94
    const auto consumer = billing();
    break_for_good(*consumer);
    EXPECT_TRUE(consumer->stop().complete());
}

TEST_F(WhenTheNetworkBreaks, what_waits_is_sent_when_it_is_whole_again) { // B84 B92
    const auto consumer = billing();
    break_for_good(*consumer);
    std::atomic<int> confirmed = 0;
    for (int i = 0; i < 100; ++i) {
        consumer->async_publish(order_placed{std::to_string(i)},
                                [&](const std::exception_ptr& failure) { confirmed += failure ? 0 : 1; });
    }
    network.refuse(false);
    EXPECT_TRUE(handled.reach(100));
    EXPECT_TRUE(testing::eventually([&] { return confirmed == 100; }));
}

} // namespace
} // namespace ferry::scenarios
