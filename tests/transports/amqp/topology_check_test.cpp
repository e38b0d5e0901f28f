#include "broker_plan.hpp"
#include "topology_check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

namespace ferry::amqp {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const topology wanted_by_billing{
    .queues = {{.name = "orders_error"},
               {.name = "orders", .dead_letters = "orders_error"},
               {.name = "replies", .temporary = true}},
    .exchanges = {{.name = "order-placed"}},
    .bindings = {{.exchange = "order-placed", .target = address::queue("orders")}},
};

std::vector<std::string> problems_of(const topology_options& own, queue_type type = queue_type::quorum) {
    std::vector<std::string> found;
    check_topology(with_own(wanted_by_billing, own), {.queues = type, .topology = own}, found);
    return found;
}

std::vector<std::string> problems_of_queue(queue_options queue) { return problems_of({.queues = {std::move(queue)}}); }
std::vector<std::string> problems_of_binding(binding_options binding) {
    return problems_of({.bindings = {std::move(binding)}});
}

TEST(TopologyCheck, finds_nothing_wrong_with_what_can_work) {
    EXPECT_THAT(problems_of({}), IsEmpty());
    EXPECT_THAT(
        problems_of({.queues = {{.name = "orders", .delivery_limit = 3, .single_active_consumer = true},
                                {.name = "archive", .arguments = {{"x-dead-letter-exchange", "x"}, {"x-flag", true}}}},
                     .exchanges = {{.name = "order-placed", .type = exchange_type::direct}},
                     .bindings = {{.exchange = "order-placed", .target = address::queue("orders"), .routing_key = "a"},
                                  {.exchange = "amq.topic", .target = address::queue("archive"), .routing_key = "#"}}}),
        IsEmpty());
}

TEST(TopologyCheck, knows_arguments_with_an_option_of_their_own) {
    EXPECT_THAT(problems_of_queue({.name = "orders", .arguments = {{"x-queue-type", "stream"}}}),
                ElementsAre(AllOf(HasSubstr("'orders'"), HasSubstr("x-queue-type"), HasSubstr("use .type"))));
    EXPECT_THAT(problems_of_queue({.name = "orders", .arguments = {{"x-delivery-limit", 3}}}),
                ElementsAre(HasSubstr("use .delivery_limit")));
    EXPECT_THAT(problems_of_queue({.name = "orders", .arguments = {{"x-single-active-consumer", true}}}),
                ElementsAre(HasSubstr("use .single_active_consumer")));
}

TEST(TopologyCheck, knows_arguments_that_ferry_sets_itself) {
    EXPECT_THAT(problems_of_queue({.name = "orders", .arguments = {{"x-dead-letter-routing-key", "mine"}}}),
                ElementsAre(AllOf(HasSubstr("x-dead-letter-routing-key"), HasSubstr("no_error_queue()"))));
    EXPECT_THAT(problems_of_queue({.name = "orders", .arguments = {{"x-overflow", "drop-head"}}}),
                ElementsAre(HasSubstr("x-overflow")));
    EXPECT_THAT(problems_of_queue({.name = "orders_error", .arguments = {{"x-overflow", "drop-head"}}}), IsEmpty());
}

TEST(TopologyCheck, takes_plain_values_only) {
    EXPECT_THAT(problems_of_queue({.name = "orders", .arguments = {{"x-ratio", 0.5}}}),
                ElementsAre(AllOf(HasSubstr("'orders'"), HasSubstr("x-ratio"), HasSubstr("whole number"))));
}

TEST(TopologyCheck, leaves_temporary_queues_alone) {
    EXPECT_THAT(problems_of_queue({.name = "replies", .single_active_consumer = true}),
                ElementsAre(AllOf(HasSubstr("'replies'"), HasSubstr("one running instance"))));
}

TEST(TopologyCheck, has_no_limit_that_would_drop_messages) {
    EXPECT_THAT(problems_of_queue({.name = "orders_error", .delivery_limit = 3}),
                ElementsAre(HasSubstr("would drop what reaches the limit")));
    EXPECT_THAT(problems_of_queue({.name = "orders_error", .delivery_limit = -1}), IsEmpty());
    EXPECT_THAT(problems_of_queue({.name = "orders", .delivery_limit = -2}), ElementsAre(HasSubstr("-1 for none")));
    EXPECT_THAT(problems_of_queue({.name = "orders", .type = queue_type::classic, .delivery_limit = 3}), IsEmpty())
        << "ferry counts there itself";
    EXPECT_THAT(problems_of({.queues = {{.name = "orders_error", .delivery_limit = 3}}}, queue_type::classic),
                ElementsAre(HasSubstr("would drop what reaches the limit")));
}

TEST(TopologyCheck, wants_a_name_for_everything_and_each_once) {
    EXPECT_THAT(problems_of({.queues = {{}}, .exchanges = {{}}}),
                ElementsAre(HasSubstr("a queue without a name"), HasSubstr("an exchange without a name")));
    EXPECT_THAT(problems_of({.queues = {{.name = "a"}, {.name = "a"}}}), ElementsAre(HasSubstr("two entries")));
    EXPECT_THAT(problems_of({.exchanges = {{.name = std::string(256, 'x')}}}), ElementsAre(HasSubstr("256 bytes")));
}

TEST(TopologyCheck, knows_both_ends_of_a_binding) {
    EXPECT_THAT(problems_of_binding({.exchange = "legacy", .target = address::queue("orders")}),
                ElementsAre(AllOf(HasSubstr("exchange:legacy"), HasSubstr("provision = false"))));
    EXPECT_THAT(problems_of_binding({.exchange = "order-placed", .target = address::queue("nowhere")}),
                ElementsAre(HasSubstr("queue:nowhere")));
    EXPECT_THAT(problems_of_binding({.exchange = "order-placed", .target = {}}),
                ElementsAre(HasSubstr("without a name")));
    EXPECT_THAT(problems_of_binding({.exchange = "", .target = address::queue("orders")}),
                ElementsAre(HasSubstr("without a name")));
}

TEST(TopologyCheck, takes_routing_keys_where_somebody_looks_at_them) {
    EXPECT_THAT(
        problems_of_binding({.exchange = "order-placed", .target = address::queue("orders"), .routing_key = "eu"}),
        ElementsAre(HasSubstr("a fanout exchange does not look")));
    EXPECT_THAT(
        problems_of_binding(
            {.exchange = "amq.topic", .target = address::queue("orders"), .routing_key = std::string(256, 'x')}),
        ElementsAre(HasSubstr("routing key of 256 bytes")));
}

TEST(TopologyCheck, wants_a_key_for_each_way_out_of_a_direct_exchange) {
    const topology_options direct{.exchanges = {{.name = "order-placed", .type = exchange_type::direct}}};
    EXPECT_THAT(problems_of(direct), ElementsAre(AllOf(HasSubstr("'order-placed'"), HasSubstr("queue:orders"))));
    std::vector<std::string> later;
    check_own_ways({.bindings = {{.exchange = "order-placed", .target = address::exchange("order-changed")}}},
                   {.topology = direct}, later);
    EXPECT_THAT(later, ElementsAre(HasSubstr("exchange:order-changed")));
}

TEST(TopologyCheck, knows_delays_that_cannot_be) {
    EXPECT_THAT(problems_of({.delays = {{.target = address::queue("a.*.b"), .longest = std::chrono::hours{1}}}}),
                ElementsAre(HasSubstr("cannot be delayed")));
    EXPECT_THAT(problems_of({.delays = {{.target = address::queue("orders"), .longest = std::chrono::years{9}}}}),
                ElementsAre(HasSubstr("9")));
}

} // namespace
} // namespace ferry::amqp
