#include "rabbit_shop.hpp"

#include <ferry/amqp/definitions.hpp>
#include <ferry/memory/transport.hpp>

#include <support/test_host.hpp>
#include <support/test_sinks.hpp>

#include <stdexcept>

namespace ferry::scenarios {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

struct regional_order {
    std::string order_id;
    std::string region;
};
constexpr const char* regional_exchange = "ferry.scenarios.regional-order";

amqp::binding_options by_key(const std::string& queue, const std::string& key) {
    return {.exchange = regional_exchange, .target = address::queue(queue), .routing_key = key};
}

class Topology : public rabbit_shop {
protected:
    using order_ids = watched<std::vector<std::string>>;

    [[nodiscard]] static amqp::transport_options with(amqp::topology_options topology) {
        amqp::transport_options options = impatient();
        options.topology = std::move(topology);
        return options;
    }
    static amqp::topology_options regional(std::vector<amqp::binding_options> bindings) {
        return {.exchanges = {{.name = regional_exchange, .type = amqp::exchange_type::topic}},
                .bindings = std::move(bindings)};
    }
    [[nodiscard]] std::unique_ptr<bus> billing(const amqp::transport_options& options, order_ids& handled) {
        auto builder = service("billing", options);
        builder->handle<order_placed>([&handled](const order_placed& order) {
            handled.change([&](auto& all) { all.push_back(order.order_id); });
        });
        return started(*builder);
    }
    [[nodiscard]] std::unique_ptr<bus> regional_service(const std::string& name, const std::string& key,
                                                        order_ids& handled) {
        auto builder = service(name, with(regional({by_key(name + ".regional-order", key)})));
        builder->handle<regional_order>([&handled](const regional_order& order) {
            handled.change([&](auto& all) { all.push_back(order.order_id); });
        });
        return started(*builder);
    }
    static bool reaches(const order_ids& handled, std::size_t count) {
        return handled.eventually([&](const auto& all) { return all.size() >= count; });
    }
    /// What is told about a bus that does not start.
    [[nodiscard]] std::string refusal(const amqp::transport_options& options) {
        order_ids nobodys;
        try {
            (void)billing(options, nobodys);
        } catch (const transport_error& failure) {
            EXPECT_FALSE(failure.is_transient());
            return failure.what();
        }
        return "it has started";
    }
    [[nodiscard]] std::string exchange(const std::string& name) const {
        return broker.get("/api/exchanges/" + vhost + "/" + name);
    }
    /// Asks the queue itself: what the management counts is seconds old.
    [[nodiscard]] bool gets_a_message(const std::string& name) const {
        return testing::eventually([&] {
            return broker.post(queue_path(name) + "/get",
                               R"({"count":1,"ackmode":"ack_requeue_true","encoding":"auto"})") != "[]";
        });
    }

    static constexpr const char* queue = "billing.order-placed";
};

TEST_F(Topology, one_consumer_at_a_time_gets_everything_and_the_next_takes_over) {
    const auto options = with({.queues = {{.name = queue, .single_active_consumer = true}}});
    order_ids first;
    order_ids second;
    const auto active = billing(options, first);
    const auto waiting = billing(options, second);
    for (int i = 0; i < 20; ++i) {
        active->publish(order_placed{std::to_string(i)});
    }
    ASSERT_TRUE(reaches(first, 20));
    EXPECT_THAT(second.get(), ElementsAre());

    active->stop();

    waiting->publish(order_placed{"next"});
    ASSERT_TRUE(reaches(second, 1));
    EXPECT_EQ(first.get().size(), 20U);
}

TEST_F(Topology, a_topic_exchange_routes_by_a_member_of_the_message) {
    order_ids european;
    order_ids american;
    order_ids all;
    const auto europe = regional_service("europe", "eu.*", european);
    const auto america = regional_service("america", "us.#", american);
    auto audit = service("audit", with(regional({})));
    audit->handle<regional_order>(
        [&](const regional_order& order) { all.change([&](auto& ids) { ids.push_back(order.order_id); }); });
    const auto auditing = started(*audit);
    auto builder = service("shop", with(regional({})));
    builder->routing_key<regional_order>(&regional_order::region);
    const auto shop = started(*builder);

    shop->publish(regional_order{"1", "eu.de"});
    shop->publish(regional_order{"2", "us"});
    shop->publish(regional_order{"3", "eu.fr"});
    shop->publish(regional_order{"4", "jp"});
    shop->publish(regional_order{"5", "jp"}, {.routing_key = "us.tx"}); // for this one message

    ASSERT_TRUE(reaches(all, 5));
    ASSERT_TRUE(reaches(european, 2));
    ASSERT_TRUE(reaches(american, 2));
    EXPECT_THAT(european.get(), UnorderedElementsAre("1", "3"));
    EXPECT_THAT(american.get(), UnorderedElementsAre("2", "5"));
    EXPECT_THAT(all.get(), UnorderedElementsAre("1", "2", "3", "4", "5"));
}

TEST_F(Topology, a_direct_exchange_routes_by_what_a_function_makes_of_the_message) {
    order_ids handled;
    const auto options =
        with({.exchanges = {{.name = regional_exchange, .type = amqp::exchange_type::direct}},
              .bindings = {by_key("europe.regional-order", "EU"), by_key("europe.regional-order", "UK")}});
    auto builder = service("europe", options);
    builder->routing_key<regional_order>([](const regional_order& order) { return order.region.substr(0, 2); })
        .handle<regional_order>(
            [&](const regional_order& order) { handled.change([&](auto& all) { all.push_back(order.order_id); }); });
    const auto europe = started(*builder);
    europe->publish(regional_order{"1", "US-TX"});
    europe->publish(regional_order{"2", "EU-DE"});
    europe->publish(regional_order{"3", "UK-LND"});
    ASSERT_TRUE(reaches(handled, 2));
    EXPECT_THAT(handled.get(), UnorderedElementsAre("2", "3"));
    EXPECT_EQ(europe->counts().unrouted_events, 1U);
}

TEST_F(Topology, a_key_that_is_too_long_is_an_error_that_says_so) {
    auto builder = service("shop", with(regional({})));
    builder->routing_key<regional_order>(&regional_order::region);
    const auto shop = started(*builder);
    try {
        shop->publish(regional_order{"1", std::string(256, 'x')});
        FAIL() << "published with a key that no frame can hold";
    } catch (const transport_error& failure) {
        EXPECT_FALSE(failure.is_transient());
        EXPECT_THAT(failure.what(), AllOf(HasSubstr("regional-order"), HasSubstr("256 bytes"), HasSubstr("255")));
    }
}

TEST_F(Topology, what_is_routed_by_its_key_cannot_wait_at_the_broker) {
    auto builder = service("shop", with(regional({})));
    const auto shop = started(*builder);
    try {
        shop->publish(regional_order{"1", "eu"}, {.deliver_at = clock{}() + 1h});
        FAIL() << "delayed, and routed by the key of the delay";
    } catch (const transport_error& failure) {
        EXPECT_THAT(failure.what(), AllOf(HasSubstr("cannot be delayed"), HasSubstr("schedule_publish")));
    }
    EXPECT_NO_THROW((void)shop->schedule_publish(regional_order{"2", "eu"}, 1h));
}

TEST_F(Topology, queues_exchanges_and_bindings_beside_the_endpoints_are_there) {
    const auto options = with({.queues = {{.name = "archive",
                                           .type = amqp::queue_type::classic,
                                           .arguments = {{"x-max-length", 1000}, {"x-queue-mode", "lazy"}}}},
                               .exchanges = {{.name = "legacy.orders",
                                              .type = amqp::exchange_type::topic,
                                              .arguments = {{"alternate-exchange", "amq.fanout"}}}},
                               .bindings = {{.exchange = "legacy.orders",
                                             .target = address::exchange("ferry.scenarios.order-placed"),
                                             .routing_key = "orders.*"},
                                            {.exchange = "amq.topic",
                                             .target = address::queue("archive"),
                                             .routing_key = "#",
                                             .arguments = {{"note", "everything"}}}}});
    order_ids handled;
    const auto bus = billing(options, handled);
    EXPECT_THAT(broker.get(queue_path("archive")),
                AllOf(HasSubstr(R"("x-max-length":1000)"), HasSubstr(R"("x-queue-type":"classic")")));
    EXPECT_THAT(exchange("legacy.orders"),
                AllOf(HasSubstr(R"("type":"topic")"), HasSubstr(R"("alternate-exchange":"amq.fanout")")));
    EXPECT_THAT(broker.get("/api/bindings/" + vhost + "/e/amq.topic/q/archive"),
                AllOf(HasSubstr(R"("routing_key":"#")"), HasSubstr(R"("note":"everything")")));

    bus->send(order_placed{"from an old program"},
              {.destination = address::exchange("legacy.orders"), .routing_key = "orders.new"});
    EXPECT_TRUE(reaches(handled, 1));
}

TEST_F(Topology, an_endpoints_queue_has_the_settings_of_its_name) {
    order_ids handled;
    const auto bus =
        billing(with({.queues = {{.name = queue,
                                  .delivery_limit = 5,
                                  .single_active_consumer = true,
                                  .arguments = {{"x-max-length-bytes", 1'000'000}}},
                                 {.name = "billing.order-placed_skipped", .type = amqp::queue_type::classic}}}),
                handled);
    EXPECT_THAT(broker.get(queue_path(queue)),
                AllOf(HasSubstr(R"("x-queue-type":"quorum")"), HasSubstr(R"("x-delivery-limit":5)"),
                      HasSubstr(R"("x-single-active-consumer":true)"), HasSubstr(R"("x-max-length-bytes":1000000)"),
                      HasSubstr(R"("x-dead-letter-routing-key":"billing.order-placed_error")")));
    EXPECT_THAT(broker.get(queue_path("billing.order-placed_skipped")), HasSubstr(R"("x-queue-type":"classic")"));
    EXPECT_THAT(broker.get(queue_path("billing.order-placed_error")), HasSubstr(R"("x-queue-type":"quorum")"));
}

TEST_F(Topology, what_is_rejected_goes_where_the_arguments_say) {
    const auto options =
        with({.queues = {{.name = "orders", .delivery_limit = 3, .arguments = {{"x-dead-letter-exchange", "morgue"}}},
                         {.name = "morgue"}},
              .exchanges = {{.name = "morgue"}},
              .bindings = {{.exchange = "morgue", .target = address::queue("morgue")}}});
    auto builder = service("billing", options);
    builder->endpoint("orders", [](endpoint_builder& endpoint) {
        endpoint.no_error_queue().handle<order_placed>([](const order_placed&) { throw std::runtime_error{"no"}; });
    });
    const auto bus = started(*builder);
    bus->publish(order_placed{"1"});
    EXPECT_TRUE(gets_a_message("morgue"));
}

TEST_F(Topology, what_may_not_be_created_is_looked_for_one_by_one) { // B90
    const auto options = with({.queues = {{.name = "billing.order-placed_error", .provision = false}},
                               .exchanges = {{.name = "ferry.scenarios.order-placed", .provision = false}}});
    const std::string told = refusal(options);
    EXPECT_THAT(told,
                AllOf(HasSubstr("2 things"), HasSubstr("the queue billing.order-placed_error"),
                      HasSubstr("the exchange ferry.scenarios.order-placed"), HasSubstr("has to be created first")));
    EXPECT_THAT(broker.get(queue_path(queue)), HasSubstr("quorum")); // which may be created
}

TEST_F(Topology, everything_that_is_different_is_told_at_once) { // B87
    order_ids nobodys;
    billing(impatient(), nobodys)->stop();
    const std::string told =
        refusal(with({.queues = {{.name = queue, .delivery_limit = 7},
                                 {.name = "billing.order-placed_skipped", .arguments = {{"x-max-length", 10}}}},
                      .exchanges = {{.name = "ferry.scenarios.order-placed", .type = amqp::exchange_type::topic}}}));
    EXPECT_THAT(told, AllOf(HasSubstr("3 things"), HasSubstr("the queue billing.order-placed:"),
                            HasSubstr("x-delivery-limit"), HasSubstr("the queue billing.order-placed_skipped:"),
                            HasSubstr("x-max-length"), HasSubstr("the exchange ferry.scenarios.order-placed:"),
                            HasSubstr("'type'"), HasSubstr("received 'topic' but current is 'fanout'")));
}

TEST_F(Topology, what_contradicts_itself_is_told_when_the_bus_is_built) { // B9
    auto builder = service(
        "billing",
        with({.queues = {{.name = queue, .arguments = {{"x-queue-type", "stream"}, {"x-dead-letter-exchange", "x"}}}},
              .exchanges = {{.name = "ferry.scenarios.order-placed", .type = amqp::exchange_type::direct}},
              .bindings = {{.exchange = "legacy", .target = address::queue(queue), .routing_key = "a"}}}));
    builder->handle<order_placed>([](const order_placed&) {});
    try {
        (void)builder->build();
        FAIL() << "built";
    } catch (const build_error& failure) {
        EXPECT_THAT(failure.problems(),
                    UnorderedElementsAre(AllOf(HasSubstr(queue), HasSubstr("x-queue-type"), HasSubstr(".type")),
                                         AllOf(HasSubstr(queue), HasSubstr("x-dead-letter-exchange")),
                                         AllOf(HasSubstr("legacy"), HasSubstr("nothing says what exchange:legacy is")),
                                         AllOf(HasSubstr("order-placed"), HasSubstr("direct"), HasSubstr("keys"))));
    }
}

TEST_F(Topology, is_described) {
    auto builder = service(
        "billing",
        with({.queues = {{.name = "archive", .provision = false}},
              .exchanges = {{.name = "legacy", .type = amqp::exchange_type::topic}},
              .bindings = {{.exchange = "legacy", .target = address::queue("archive"), .routing_key = "orders.#"}}}));
    builder->publishes<regional_order>().handle<order_placed>([](const order_placed&) {});
    const bus_description told = builder->build().describe();
    EXPECT_THAT(told.text(),
                AllOf(HasSubstr("  queue    archive (quorum, expected, x-delivery-limit -1)\n"),
                      HasSubstr("  queue    billing.order-placed (quorum, x-dead-letter-exchange, "
                                "x-dead-letter-routing-key billing.order-placed_error, x-dead-letter-strategy "
                                "at-least-once, x-delivery-limit 20, x-overflow reject-publish)\n"),
                      HasSubstr("  exchange legacy (topic)\n"),
                      HasSubstr("  exchange ferry.scenarios.regional-order (fanout)\n"),
                      HasSubstr("  binding  legacy > queue:archive by orders.#\n")));
    EXPECT_THAT(told.json(), HasSubstr(R"("exchange":"legacy","target":"queue:archive","routing_key":"orders.#")"));
}

TEST_F(Topology, is_described_with_what_delays_its_messages) {
    auto builder = service("billing");
    builder->resilience([](exception_policy& policy) { policy.otherwise().redeliver({2ms}); });
    builder->handle<order_placed>([](const order_placed&) {});
    EXPECT_THAT(builder->build().describe().text(),
                AllOf(HasSubstr("  queue    ferry.delay.00 (quorum"), HasSubstr("  queue    ferry.delay.01 (quorum"),
                      HasSubstr("  exchange ferry.delay.deliver (topic"),
                      HasSubstr("  binding  ferry.delay.deliver > queue:billing.order-placed by ")));
}

TEST_F(Topology, dead_letters_of_its_own_keep_poison_out_of_a_classic_queue) { // B3 B41 B90
    amqp::transport_options options =
        with({.queues = {{.name = "orders",
                          .delivery_limit = 2,
                          .arguments = {{"x-dead-letter-exchange", ""}, {"x-dead-letter-routing-key", "morgue"}}},
                         {.name = "morgue"}}});
    options.queues = amqp::queue_type::classic;
    amqp::transport carrier{url(network.port()), options};
    testing::test_host host;
    carrier.start(host.lend());
    carrier.declare({.queues = {{.name = "orders"}},
                     .exchanges = {{"events"}},
                     .bindings = {{"events", address::queue("orders")}}});
    testing::holding_sink sink;
    const auto subscription = carrier.consume("orders", {}, sink);
    envelope message;
    message.kind = message_kind::publish;
    message.destination = address::exchange("events");
    carrier.send(message, [](const send_outcome&) {});
    for (std::uint32_t earlier = 0; earlier <= 2; ++earlier) {
        delivery one = sink.take_one();
        ASSERT_EQ(one.earlier_deliveries(), earlier);
        EXPECT_EQ(testing::unpacked(one).destination, message.destination);
        EXPECT_EQ(testing::unpacked(one).kind, message.kind);
        std::move(one).requeue();
    }
    EXPECT_TRUE(gets_a_message("morgue"));
    EXPECT_EQ(sink.size(), 0U);
    carrier.stop();
}

/// A broker that others manage: the service may create its reply queue, and nothing else.
class TopologyOfOthers : public Topology {
protected:
    TopologyOfOthers() {
        broker.put("/api/users/" + vhost, R"({"password":"secret","tags":""})");
        broker.put("/api/permissions/" + vhost + "/" + vhost,
                   R"({"configure":"^billing\\.replies\\.","write":".*","read":".*"})");
    }
    void TearDown() override {
        broker.remove("/api/users/" + vhost);
        Topology::TearDown();
    }
    [[nodiscard]] bus_builder& billing_service() {
        amqp::transport_options options =
            with({.queues = {{.name = queue, .single_active_consumer = true, .arguments = {{"x-max-length", 500}}}},
                  .exchanges = {{.name = regional_exchange, .type = amqp::exchange_type::topic}},
                  .bindings = {by_key("billing.regional-order", "eu.#")}});
        options.provision = {.queues = false, .exchanges = false, .bindings = false, .delays = false};
        builder = service("billing", options);
        builder->transport(amqp::transport{
            "amqp://" + vhost + ":secret@127.0.0.1:" + std::to_string(network.port()) + "/" + vhost, options});
        builder->routing_key<regional_order>(&regional_order::region);
        builder->resilience([](exception_policy& policy) { policy.otherwise().redeliver({50ms, 120ms}); });
        builder->handle<order_placed>([this](const order_placed& order, consume_context& context) {
            attempts.change([&](auto& all) { all.push_back(context.attempt().redelivery); });
            throw std::runtime_error{"no invoice for " + order.order_id};
        });
        builder->handle<regional_order>(
            [this](const regional_order& order) { handled.change([&](auto& all) { all.push_back(order.order_id); }); });
        return *builder;
    }

    std::unique_ptr<bus_builder> builder;
    watched<std::vector<int>> attempts;
    order_ids handled;
};

TEST_F(TopologyOfOthers, the_exported_definitions_are_all_a_service_needs) { // B90
    bus bus = billing_service().build();
    (void)broker.post("/api/definitions", amqp::definitions(bus));
    bus.start();

    bus.publish(regional_order{"1", "us"});
    bus.publish(regional_order{"2", "eu.de"});
    bus.publish(order_placed{"3"});

    ASSERT_TRUE(reaches(handled, 1));
    EXPECT_THAT(handled.get(), ElementsAre("2"));
    ASSERT_TRUE(testing::eventually([&] { return bus.counts().dead_lettered == 1; }));
    EXPECT_THAT(attempts.get(), ElementsAre(0, 1, 2));
    EXPECT_TRUE(gets_a_message("billing.order-placed_error"));
}

TEST_F(TopologyOfOthers, the_exported_definitions_are_what_ferry_would_declare) {
    bus bus = billing_service().build();
    (void)broker.post("/api/definitions/" + vhost, amqp::definitions(bus)); // for one virtual host only
    amqp::transport_options options =
        with({.queues = {{.name = queue, .single_active_consumer = true, .arguments = {{"x-max-length", 500}}}},
              .exchanges = {{.name = regional_exchange, .type = amqp::exchange_type::topic}}});
    order_ids nobodys;
    auto creating = billing(options, nobodys); // as somebody who may: the broker would refuse what differs
    EXPECT_NO_THROW(creating->publish(order_placed{"1"}, {.deliver_at = clock{}() + 50ms}));
}

TEST_F(TopologyOfOthers, a_bus_without_its_definitions_tells_all_that_is_missing) { // B87
    bus bus = billing_service().build();
    try {
        bus.start();
        FAIL() << "started on an empty broker";
    } catch (const transport_error& failure) {
        EXPECT_THAT(failure.what(),
                    AllOf(HasSubstr("8 things"), HasSubstr("queue billing.order-placed:"),
                          HasSubstr("queue billing.regional-order_error:"), HasSubstr(regional_exchange)));
    }
}

TEST(Definitions, are_for_a_bus_on_rabbitmq) {
    bus_builder builder{"billing"};
    builder.transport(memory::transport{}).log({});
    const bus bus = builder.build();
    EXPECT_THROW((void)amqp::definitions(bus), error);
}

} // namespace
} // namespace ferry::scenarios
