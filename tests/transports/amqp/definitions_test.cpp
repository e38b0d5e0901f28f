#include <ferry/amqp/transport.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

namespace ferry::amqp {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

using namespace std::chrono_literals;

TEST(DefinitionsFile, lists_queues_exchanges_and_bindings_of_the_virtual_host) {
    const transport carrier{
        "amqp://nobody.listens/the%20shop",
        {.topology = {
             .exchanges = {{.name = "legacy", .type = exchange_type::topic}},
             .bindings = {{.exchange = "legacy", .target = address::queue("orders"), .routing_key = "a.\"b\""}}}}};
    EXPECT_EQ(carrier.definitions({.queues = {{.name = "orders"}, {.name = "replies", .temporary = true}},
                                   .exchanges = {{.name = "order-placed"}}}),
              R"({
  "queues": [
    {"name": "orders", "vhost": "the shop", "durable": true, "auto_delete": false, "arguments": {"x-queue-type": "quorum", "x-delivery-limit": -1}}
  ],
  "exchanges": [
    {"name": "order-placed", "vhost": "the shop", "type": "fanout", "durable": true, "auto_delete": false, "internal": false, "arguments": {}},
    {"name": "legacy", "vhost": "the shop", "type": "topic", "durable": true, "auto_delete": false, "internal": false, "arguments": {}}
  ],
  "bindings": [
    {"source": "legacy", "vhost": "the shop", "destination": "orders", "destination_type": "queue", "routing_key": "a.\"b\"", "arguments": {}}
  ]
}
)");
}

TEST(DefinitionsFile, has_the_levels_of_the_longest_delay) {
    const transport carrier{
        "amqp://nobody.listens",
        {.topology = {.delays = {{.target = address::exchange("order-placed"), .longest = 200ms}}}}};
    const topology wanted{.queues = {{.name = "orders"}}, .delays = {{address::queue("orders"), 100ms}}};
    EXPECT_THAT(carrier.definitions(wanted),
                AllOf(HasSubstr("\"ferry.delay.undelivered\""), HasSubstr("\"ferry.delay.07\""), // 128 ms
                      Not(HasSubstr("\"ferry.delay.08\"")),
                      HasSubstr(R"("source": "ferry.delay.deliver", "vhost": "/", "destination": "orders")"),
                      HasSubstr(R"("source": "ferry.delay.deliver", "vhost": "/", "destination": "order-placed")")));
}

TEST(DefinitionsFile, has_no_delays_where_there_are_none) {
    EXPECT_THAT(transport{"amqp://nobody.listens"}.definitions({.queues = {{.name = "orders"}}}),
                Not(HasSubstr("ferry.delay")));
}

TEST(DefinitionsFile, leaves_out_what_every_broker_has) {
    const transport carrier{"amqp://nobody.listens", {.topology = {.exchanges = {{.name = "amq.topic"}}}}};
    EXPECT_THAT(carrier.definitions({}), Not(HasSubstr("amq.topic")));
}

} // namespace
} // namespace ferry::amqp
