#include "transport_suite.hpp"

#include <atomic>

namespace ferry::testing {

using ::testing::HasSubstr;

TEST_P(TransportSuite, declares_again_what_is_there_without_a_change) {
    const std::string queue = unique("orders");
    const std::string exchange = unique("order-placed");
    const topology wanted{.queues = {{.name = queue}},
                          .exchanges = {{.name = exchange}},
                          .bindings = {{exchange, address::queue(queue)}}};
    declare(shop, wanted);
    send_numbered(shop, address::exchange(exchange), 1);

    declare(shop, wanted);
    declare(billing, wanted);

    send_numbered(shop, address::exchange(exchange), 1);
    accepting_sink sink;
    const auto subscription = billing->consume(queue, {}, sink);
    ASSERT_TRUE(sink.await(2));
    EXPECT_EQ(sink.bodies().size(), 2U);
}

TEST_P(TransportSuite, names_the_queue_that_exists_with_other_properties) { // B87
    const std::string queue = a_queue();
    const std::string dead = a_queue("dead");

    try {
        billing->declare({.queues = {{.name = queue, .dead_letters = dead}}});
        FAIL() << "the queue was declared differently";
    } catch (const error& thrown) {
        EXPECT_THAT(thrown.what(), HasSubstr(queue));
    }
    EXPECT_EQ(send(billing, a_message_to(address::queue(queue))).status, send_status::confirmed);
}

TEST_P(TransportSuite, takes_its_temporary_queues_along_when_it_stops) {
    const std::string queue = unique("replies");
    test_service instance{harness()};
    instance->declare({.queues = {{.name = queue, .temporary = true}}});
    ASSERT_EQ(send(shop, a_message_to(address::queue(queue))).status, send_status::confirmed);

    instance.stop();

    EXPECT_EQ(send(shop, a_message_to(address::queue(queue))).status, send_status::unroutable);
}

TEST_P(TransportSuite, keeps_what_was_not_settled_for_the_next_one_when_it_stops) { // B94
    const std::string queue = a_queue();
    test_service instance{harness()};
    holding_sink sink;
    const auto held = instance->consume(queue, {.prefetch = 5}, sink);
    send_numbered(shop, address::queue(queue), 10);
    ASSERT_TRUE(sink.await(5));

    instance.stop();
    sink.take_all().clear();

    accepting_sink next;
    const auto subscription = billing->consume(queue, {}, next);
    ASSERT_TRUE(next.await(10));
    EXPECT_EQ(sorted(next.bodies()), sorted(numbers(10)));
}

TEST_P(TransportSuite, calls_every_callback_before_stop_returns) { // B94
    const std::string queue = a_queue();
    test_service instance{harness()};
    std::atomic<int> called = 0;

    for (int i = 0; i < 1'000; ++i) {
        instance->send(a_message_to(address::queue(queue)), [&](const send_outcome&) { ++called; });
    }
    instance.stop();

    EXPECT_EQ(called, 1'000);
}

TEST_P(TransportSuite, refuses_work_once_it_has_stopped) {
    const std::string queue = a_queue();
    test_service instance{harness()};
    holding_sink sink;
    instance.stop();

    EXPECT_THROW(instance->send(a_message_to(address::queue(queue)), [](const send_outcome&) {}), error);
    EXPECT_THROW(static_cast<void>(instance->consume(queue, {}, sink)), error);
    EXPECT_THROW(instance->declare({}), error);
}

TEST_P(TransportSuite, can_be_stopped_twice) {
    test_service instance{harness()};

    instance.stop();
    instance.stop();
}

} // namespace ferry::testing
