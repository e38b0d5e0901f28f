#include "rabbit_shop.hpp"

#include <support/test_host.hpp>
#include <support/test_sinks.hpp>

#include <set>
#include <thread>

namespace ferry::scenarios {
namespace {

/// The network breaks at a chosen moment, or in one direction only.
class WhenTheNetworkBreaksMidway : public rabbit_shop, public ::testing::WithParamInterface<amqp::queue_type> {
protected:
    [[nodiscard]] std::unique_ptr<bus_builder> billing(const amqp::transport_options& options = impatient(GetParam())) {
        auto builder = service("billing", options);
        builder->handle<order_placed>(
            [this](const order_placed& order, consume_context& context) { handled.add(order, context); });
        return builder;
    }
    /// Publishes until the broker has confirmed each of them.
    std::vector<std::string> publish_some(bus& from, int count) {
        std::vector<std::string> sent;
        for (int i = 0; i < count; ++i) {
            sent.push_back(std::to_string(published++));
            publish_surely(from, sent.back());
        }
        return sent;
    }
    void expect_to_work(bus& which) {
        EXPECT_TRUE(handled.have_all(publish_some(which, 10)));
        EXPECT_TRUE(testing::eventually([&] { return which.health().transport.connected; }));
    }
    int publish_without_waiting(bus& from) {
        constexpr int some = 50;
        for (int i = 0; i < some; ++i) {
            const std::string id = std::to_string(published++);
            from.async_publish(order_placed{id}, [this, id](const std::exception_ptr& failure) {
                outcomes.change([&](auto& all) { all[id] = failure == nullptr; });
            });
        }
        return some;
    }
    void expect_all_that_was_confirmed_of(int count) {
        ASSERT_TRUE(outcomes.eventually([&](const auto& all) { return all.size() == static_cast<std::size_t>(count); }))
            << "each is told of, once";
        std::vector<std::string> confirmed;
        for (const auto& [id, arrived] : outcomes.get()) {
            if (arrived) {
                confirmed.push_back(id);
            }
        }
        EXPECT_TRUE(handled.have_all(confirmed));
    }
    watched<std::map<std::string, bool>> outcomes;
    handled_orders handled;
    int published = 0;
};

TEST_P(WhenTheNetworkBreaksMidway, a_start_that_is_cut_anywhere_goes_on) { // B84
    for (long said = 0; said < 2400; said += 200) {
        SCOPED_TRACE(said);
        network.cut_after(said);
        const auto bus = started(*billing());
        network.cut_after(-1);
        expect_to_work(*bus);
    }
    EXPECT_THAT(handled.unannounced(), ::testing::IsEmpty());
}

TEST_P(WhenTheNetworkBreaksMidway, a_start_whose_second_connection_is_late_goes_on) { // B85
    amqp::transport_options options = impatient(GetParam());
    options.send_timeout = 50ms;
    network.refuse_after(1);
    bus running = billing(options)->build();
    std::jthread starter{[&] { EXPECT_NO_THROW(running.start()); }};
    EXPECT_TRUE(log.eventually([](const auto& lines) { // they come after 10, 20, 40, 80 and 100 ms, or later
        return std::ranges::count_if(lines, [](const auto& each) { return each.contains("consuming: no"); }) > 5;
    }));
    network.refuse_after(100);
    starter.join();
    expect_to_work(running);
}

TEST_P(WhenTheNetworkBreaksMidway, a_stop_that_is_cut_anywhere_loses_nothing) { // B84 B94
    std::vector<std::string> all;
    auto builder = service("shop");
    const auto shop = started(*builder);
    for (long said = 0; said < 200; said += 25) {
        SCOPED_TRACE(said);
        const auto bus = started(*billing());
        std::ranges::copy(publish_some(*shop, 20), std::back_inserter(all));
        network.cut_after(said);
        EXPECT_TRUE(bus->stop().complete());
        network.cut_after(-1);
    }
    const auto last = started(*billing());
    EXPECT_TRUE(handled.have_all(all));
    expect_nothing_twice(*last, handled);
}

TEST_P(WhenTheNetworkBreaksMidway, a_burst_that_is_sent_again_loses_nothing_and_keeps_its_ids) { // B84
    watched<std::map<std::string, std::set<uuid>>> ids;
    amqp::transport_options options = impatient(GetParam());
    options.when_connection_breaks = amqp::unconfirmed::resend;
    auto builder = service("billing", options);
    builder->handle<order_placed>([&](const order_placed& order, consume_context& context) {
        ids.change([&](auto& all) { all[order.order_id].insert(context.envelope().message_id); });
    });
    const auto bus = started(*builder);
    std::atomic<int> confirmed = 0;
    std::atomic<int> failed = 0;
    for (int i = 0; i < 500; ++i) {
        bus->async_publish(order_placed{std::to_string(i)},
                           [&](const std::exception_ptr& failure) { ++(failure ? failed : confirmed); });
        if (i % 100 == 50) {
            network.cut_after(30);
        }
    }
    EXPECT_TRUE(testing::eventually([&] { return confirmed + failed == 500; }));
    EXPECT_EQ(failed, 0) << "nobody is told of a connection that broke";
    EXPECT_TRUE(ids.eventually([](const auto& all) { return all.size() == 500; }));
    ids.look([](const auto& all) {
        EXPECT_TRUE(std::ranges::all_of(all, [](const auto& each) { return each.second.size() == 1; }));
    });
}

TEST_P(WhenTheNetworkBreaksMidway, a_dead_peer_is_noticed_by_its_missing_heartbeats) { // B84 B88
    const auto bus = started(*billing());
    expect_to_work(*bus);
    network.swallow(true);
    const int some = publish_without_waiting(*bus);
    ASSERT_TRUE(logged("publishing: no connection"));
    ASSERT_TRUE(logged("no sign of life"));
    network.swallow(false);
    network.cut(); // those whose first words were swallowed
    expect_all_that_was_confirmed_of(some);
    expect_to_work(*bus);
    EXPECT_THAT(handled.unannounced(), ::testing::IsEmpty());
}

TEST_P(WhenTheNetworkBreaksMidway, a_broker_that_is_heard_no_more_is_left) { // B84 B88
    const auto bus = started(*billing());
    expect_to_work(*bus);
    network.swallow_from_broker(true);
    const int some = publish_without_waiting(*bus);
    ASSERT_TRUE(logged("no sign of life"));
    network.swallow_from_broker(false);
    network.cut(); // those whose first answers were swallowed
    expect_all_that_was_confirmed_of(some);
    expect_to_work(*bus);
    EXPECT_THAT(handled.unannounced(), ::testing::IsEmpty());
}

TEST_P(WhenTheNetworkBreaksMidway, a_broker_that_hears_nothing_hangs_up) { // B84 B88
    const auto bus = started(*billing());
    expect_to_work(*bus);
    network.swallow_from_client(true);
    const int some = publish_without_waiting(*bus);
    ASSERT_TRUE(logged("publishing: no connection"));
    ASSERT_TRUE(logged("consuming: no connection"));
    network.swallow_from_client(false);
    network.cut();
    expect_all_that_was_confirmed_of(some);
    expect_to_work(*bus);
    EXPECT_THAT(handled.unannounced(), ::testing::IsEmpty());
}

class WhenAnAnswerIsLost : public WhenTheNetworkBreaksMidway {
protected:
    [[nodiscard]] static amqp::transport_options options() {
        amqp::transport_options options = impatient(GetParam());
        options.operation_timeout = 1s;
        return options;
    }
    static constexpr std::uint16_t basic = 60;
    static constexpr std::uint16_t consume_ok = 21;
    static constexpr std::uint16_t cancel_ok = 31;
    static constexpr std::uint16_t confirm = 85;
    static constexpr std::uint16_t select_ok = 11;
};

TEST_P(WhenAnAnswerIsLost, to_a_consumer_it_is_asked_for_again) { // B84 B86
    network.lose(basic, consume_ok);
    const auto bus = started(*billing(options()));
    EXPECT_TRUE(logged("is consumed no more: the broker did not answer in time"));
    expect_to_work(*bus);
    expect_nothing_twice(*bus, handled);
}

TEST_P(WhenAnAnswerIsLost, to_a_publisher_it_is_asked_for_again) { // B84
    network.lose(confirm, select_ok);
    const auto bus = started(*billing(options()));
    EXPECT_TRUE(logged("the broker did not open the publishing channel in time"));
    expect_to_work(*bus);
    expect_nothing_twice(*bus, handled);
}

TEST_P(WhenAnAnswerIsLost, to_who_pauses_the_channel_ends) { // B84
    network.lose(basic, cancel_ok);
    amqp::transport carrier{url(network.port()), options()};
    testing::test_host host;
    carrier.start(host.lend());
    carrier.declare({.queues = {{.name = "orders"}}});
    testing::accepting_sink sink;
    const auto subscription = carrier.consume("orders", {}, sink);
    subscription->pause();
    EXPECT_TRUE(testing::eventually([&] { return carrier.health().last_error.contains("did not answer in time"); }));
    EXPECT_TRUE(testing::eventually([&] { return carrier.health().connected; }));
    subscription->resume();
    envelope message;
    message.destination = address::queue("orders");
    carrier.send(message, [](const send_outcome&) {});
    EXPECT_TRUE(sink.await(1));
    carrier.stop();
}

TEST_P(WhenTheNetworkBreaksMidway, ten_times_four_endpoints_miss_nothing) { // B84 B93
    std::map<std::string, handled_orders> by_endpoint;
    auto builder = service("shop", impatient(GetParam()));
    for (const char* name : {"audit", "billing", "shipping", "statistics"}) {
        handled_orders& seen = by_endpoint[name];
        builder->endpoint(name, [&](endpoint_builder& endpoint) {
            endpoint.handle<order_placed>(
                [&](const order_placed& order, consume_context& context) { seen.add(order, context); });
        });
    }
    const auto bus = started(*builder);
    std::vector<std::string> confirmed;
    for (int i = 0; i < 300; ++i) {
        if (i % 30 == 15) {
            network.cut();
        }
        const std::string id = std::to_string(i);
        try {
            bus->publish(order_placed{id});
            confirmed.push_back(id);
        } catch (const transport_error& failure) {
            EXPECT_TRUE(failure.is_transient()) << failure.what();
        }
    }
    EXPECT_GE(confirmed.size(), 250U);
    for (const auto& [name, seen] : by_endpoint) {
        SCOPED_TRACE(name);
        EXPECT_TRUE(seen.have_all(confirmed));
        expect_nothing_twice(*bus, seen);
    }
}

INSTANTIATE_TEST_SUITE_P(On, WhenAnAnswerIsLost, ::testing::Values(amqp::queue_type::quorum, amqp::queue_type::classic),
                         name_of);
INSTANTIATE_TEST_SUITE_P(On, WhenTheNetworkBreaksMidway,
                         ::testing::Values(amqp::queue_type::quorum, amqp::queue_type::classic), name_of);

} // namespace
} // namespace ferry::scenarios
