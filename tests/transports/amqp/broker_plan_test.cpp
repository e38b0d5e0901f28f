#include "broker_plan.hpp"

#include <ferry/transport.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace ferry::amqp {
namespace {

using ::testing::ElementsAre;

const topology billing{
    .queues = {{.name = "orders_error"}, {.name = "orders", .dead_letters = "orders_error"}},
    .exchanges = {{.name = "order-placed"}},
    .bindings = {{.exchange = "order-placed", .target = address::queue("orders")}},
};

broker_plan planned(const topology_options& own, const topology& wanted = billing) {
    const transport_options options{.topology = own};
    return plan_for(with_own(wanted, own), options);
}

arguments arguments_of(const std::string& queue, const topology_options& own) {
    for (const planned_queue& each : planned(own).queues) {
        if (each.name == queue) {
            return each.arguments;
        }
    }
    return {};
}

TEST(BrokerPlan, states_type_limit_and_dead_letters) { // B90
    EXPECT_EQ(arguments_of("orders", {}), (arguments{{"x-queue-type", "quorum"},
                                                     {"x-delivery-limit", 20},
                                                     {"x-dead-letter-exchange", ""},
                                                     {"x-dead-letter-routing-key", "orders_error"},
                                                     {"x-dead-letter-strategy", "at-least-once"},
                                                     {"x-overflow", "reject-publish"}}));
    EXPECT_EQ(arguments_of("orders_error", {}), (arguments{{"x-queue-type", "quorum"}, {"x-delivery-limit", -1}}));
}

TEST(BrokerPlan, keeps_reply_queues_as_safe_as_the_others) { // B90
    const topology replies{.queues = {{.name = "replies", .temporary = true}}};
    EXPECT_EQ(plan_for(replies, {}).queues.front().arguments,
              (arguments{{"x-queue-type", "quorum"}, {"x-expires", 600'000}, {"x-delivery-limit", -1}}));
    EXPECT_EQ(plan_for(replies, {.queues = queue_type::classic}).queues.front().arguments,
              (arguments{{"x-queue-type", "classic"}, {"x-expires", 600'000}}));
}

TEST(BrokerPlan, gives_a_queue_what_is_set_for_it) {
    EXPECT_EQ(arguments_of("orders", {.queues = {{.name = "orders",
                                                  .type = queue_type::classic,
                                                  .single_active_consumer = true,
                                                  .arguments = {{"x-max-length", 9}}}}}),
              (arguments{{"x-queue-type", "classic"},
                         {"x-dead-letter-exchange", ""},
                         {"x-dead-letter-routing-key", "orders_error"},
                         {"x-single-active-consumer", true},
                         {"x-max-length", 9}}));
    const arguments unlimited = arguments_of("orders", {.queues = {{.name = "orders", .delivery_limit = -1}}});
    EXPECT_EQ(*unlimited.find("x-delivery-limit"), header_value{-1});
}

TEST(BrokerPlan, adds_what_is_there_beside_the_endpoints) {
    const broker_plan plan = planned(
        {.queues = {{.name = "archive"}},
         .exchanges = {{.name = "legacy", .type = exchange_type::headers}},
         .bindings = {{.exchange = "legacy", .target = address::queue("archive"), .arguments = {{"x-match", "any"}}}}});
    EXPECT_EQ(plan.queues.back().name, "archive");
    EXPECT_EQ(plan.exchanges.back(), (planned_exchange{.name = "legacy", .type = exchange_type::headers}));
    EXPECT_EQ(plan.bindings.back(),
              (planned_binding{
                  .exchange = "legacy", .target = address::queue("archive"), .arguments = {{"x-match", "any"}}}));
}

TEST(BrokerPlan, lets_everything_through_unless_a_binding_says_what) {
    const exchange_options topic{.name = "order-placed", .type = exchange_type::topic};
    const auto keys = [&](const topology_options& own) {
        std::vector<std::string> all;
        for (const planned_binding& each : planned(own).bindings) {
            all.push_back(each.routing_key);
        }
        return all;
    };
    const auto by = [](const std::string& key) {
        return binding_options{.exchange = "order-placed", .target = address::queue("orders"), .routing_key = key};
    };
    EXPECT_THAT(keys({}), ElementsAre(""));
    EXPECT_THAT(keys({.exchanges = {topic}}), ElementsAre("#"));
    EXPECT_THAT(keys({.exchanges = {topic}, .bindings = {by("eu.*"), by("us.*")}}), ElementsAre("eu.*", "us.*"));
}

TEST(BrokerPlan, creates_what_it_may_and_expects_the_rest) { // B90
    transport_options options{
        .provision = {.queues = false, .exchanges = true, .bindings = false},
        .topology = {.queues = {{.name = "orders", .provision = true}},
                     .exchanges = {{.name = "order-placed", .provision = false}, {.name = "amq.topic"}},
                     .bindings = {{.exchange = "amq.topic", .target = address::queue("orders"), .provision = true}}}};
    topology wanted = billing;
    wanted.queues.push_back({.name = "replies", .temporary = true});
    const broker_plan plan = plan_for(with_own(wanted, options.topology), options);
    const auto created = [](const auto& all) {
        std::vector<bool> found;
        for (const auto& each : all) {
            found.push_back(each.create);
        }
        return found;
    };
    EXPECT_THAT(created(plan.queues), ElementsAre(false, true, true)); // orders_error, orders, replies
    EXPECT_THAT(created(plan.exchanges), ElementsAre(false, false));
    EXPECT_THAT(created(plan.bindings), ElementsAre(false, true));
}

TEST(BrokerPlan, names_what_two_endpoints_share_once) {
    topology twice = billing;
    twice.exchanges.push_back(twice.exchanges.front());
    twice.bindings.push_back(twice.bindings.front());
    EXPECT_EQ(planned({}, twice).exchanges.size(), 1U);
    EXPECT_EQ(planned({}, twice).bindings.size(), 1U);
}

TEST(BrokerPlan, has_a_queue_and_an_exchange_for_each_level_of_delay) {
    const broker_plan first = plan_for_delays(0, 2, {});
    const broker_plan more = plan_for_delays(2, 3, {});
    ASSERT_EQ(first.queues.size(), 4U); // what found nobody, what nobody handles, 1 ms and 2 ms
    EXPECT_EQ(first.queues[3].arguments, (arguments{{"x-queue-type", "quorum"},
                                                    {"x-message-ttl", 2},
                                                    {"x-dead-letter-exchange", "ferry.delay.00"},
                                                    {"x-dead-letter-strategy", "at-least-once"},
                                                    {"x-overflow", "reject-publish"}}));
    ASSERT_EQ(more.queues.size(), 1U);
    EXPECT_EQ(more.queues[0].name, "ferry.delay.02");
    EXPECT_EQ(plan_for_delays(0, 1, {.queues = queue_type::classic}).queues[1].name, "ferry.delay.classic.00");
}

TEST(BrokerPlan, has_a_place_for_delayed_events_that_nobody_handles) {
    const broker_plan quorum = plan_for_delays(0, 1, {});
    EXPECT_EQ(quorum.queues[1].name, "ferry.delay.unheard");
    EXPECT_EQ(quorum.queues[1].arguments, (arguments{{"x-queue-type", "quorum"}, {"x-max-length", 0}}));
    EXPECT_TRUE(std::ranges::contains(quorum.bindings, planned_binding{.exchange = "ferry.delay.deliver",
                                                                       .target = address::queue("ferry.delay.unheard"),
                                                                       .routing_key = every_exchange_pattern()}));
    const broker_plan classic = plan_for_delays(0, 1, {.queues = queue_type::classic});
    EXPECT_FALSE(std::ranges::contains(classic.queues, "ferry.delay.classic.unheard", &planned_queue::name))
        << "classic queues drop what they can bring nowhere";
}

TEST(BrokerPlan, takes_the_routing_key_of_the_message_or_its_type) {
    envelope message;
    message.message_type = "urn:message:shop:order-placed";
    message.destination = address::exchange("order-placed");
    EXPECT_EQ(routing_key_of(message), "urn:message:shop:order-placed");
    message.routing_key = "eu";
    EXPECT_EQ(routing_key_of(message), "eu");
    message.destination = address::queue("orders"); // which is found by its name
    EXPECT_EQ(routing_key_of(message), "orders");
}

TEST(BrokerPlan, says_when_a_routing_key_is_too_long) {
    envelope message;
    message.destination = address::exchange("order-placed");
    message.routing_key = std::string(255, 'x');
    EXPECT_NO_THROW((void)routing_key_of(message));
    message.routing_key += 'x';
    EXPECT_THROW((void)routing_key_of(message), transport_error);
}

TEST(BrokerPlan, delays_only_what_is_not_routed_by_its_key) {
    const transport_options options{.topology = {.exchanges = {{.name = "topic", .type = exchange_type::topic},
                                                               {.name = "headers", .type = exchange_type::headers}}}};
    const auto refused = [&](const address& to, const std::string& key) {
        envelope message;
        message.destination = to;
        message.routing_key = key;
        try {
            require_delayable(message, options);
            return false;
        } catch (const transport_error&) {
            return true;
        }
    };
    EXPECT_TRUE(refused(address::exchange("topic"), ""));
    EXPECT_TRUE(refused(address::exchange("fanout"), "eu"));
    EXPECT_FALSE(refused(address::exchange("fanout"), ""));
    EXPECT_FALSE(refused(address::exchange("headers"), ""));
    EXPECT_FALSE(refused(address::queue("orders"), "eu"));
}

TEST(BrokerPlan, rejects_where_the_broker_has_dead_letters) {
    const transport_options options{
        .topology = {.queues = {{.name = "orders", .arguments = {{"x-dead-letter-exchange", "morgue"}}}}}};
    EXPECT_TRUE(has_dead_letters({.name = "orders"}, options));
    EXPECT_TRUE(has_dead_letters({.name = "others", .dead_letters = "others_error"}, options));
    EXPECT_FALSE(has_dead_letters({.name = "others"}, options));
}

TEST(BrokerPlan, counts_on_classic_queues_with_dead_letters) { // B90
    const transport_options options{
        .queues = queue_type::classic,
        .topology = {.queues = {{.name = "orders", .arguments = {{"x-dead-letter-exchange", "morgue"}}},
                                {.name = "strict", .delivery_limit = 3},
                                {.name = "quorum", .type = queue_type::quorum}}}};
    EXPECT_EQ(limit_to_count({.name = "orders"}, options), 20) << "the broker has a place for what it gives up";
    EXPECT_EQ(limit_to_count({.name = "strict", .dead_letters = "strict_error"}, options), 3);
    EXPECT_EQ(limit_to_count({.name = "quorum", .dead_letters = "quorum_error"}, options), std::nullopt);
    EXPECT_EQ(limit_to_count({.name = "others"}, options), std::nullopt);
}

TEST(BrokerPlan, is_described_with_its_arguments_as_text) {
    const broker_description told =
        described(planned({.queues = {{.name = "orders", .single_active_consumer = true}},
                           .exchanges = {{.name = "order-placed", .type = exchange_type::topic, .provision = false}}}));
    EXPECT_EQ(told.queues[1].type, "quorum");
    EXPECT_FALSE(told.queues[1].arguments.contains("x-queue-type"));
    EXPECT_EQ(told.queues[1].arguments.at("x-single-active-consumer"), "true");
    EXPECT_EQ(told.queues[1].arguments.at("x-delivery-limit"), "20");
    EXPECT_EQ(told.exchanges[0].type, "topic");
    EXPECT_TRUE(told.exchanges[0].expected);
    EXPECT_EQ(told.bindings[0].target, "queue:orders");
    EXPECT_EQ(told.bindings[0].routing_key, "#");
}

} // namespace
} // namespace ferry::amqp
