#include "transport_suite.hpp"

#include <thread>

namespace ferry::testing {

TEST_P(TransportSuite, does_not_bring_an_accepted_message_again) { // B93
    const std::string queue = a_queue();
    {
        holding_sink sink;
        const auto subscription = billing->consume(queue, {}, sink);
        send_numbered(shop, address::queue(queue), 1);
        sink.take_one().accept();
    }
    ASSERT_EQ(send(shop, a_message_to(address::queue(queue), "next")).status, send_status::confirmed);
    accepting_sink sink;
    const auto subscription = shop->consume(queue, {}, sink);

    ASSERT_TRUE(sink.await(1));
    EXPECT_EQ(sink.bodies().front(), "next");
}

TEST_P(TransportSuite, brings_a_requeued_message_again_and_says_so) { // B93, B95
    const std::string queue = a_queue();
    holding_sink sink;
    const auto subscription = billing->consume(queue, {}, sink);
    send_numbered(shop, address::queue(queue), 1);
    delivery first = sink.take_one();
    ASSERT_EQ(first.earlier_deliveries(), 0U);

    std::move(first).requeue();

    delivery again = sink.take_one();
    EXPECT_GT(again.earlier_deliveries(), 0U);
    EXPECT_EQ(body_of(again), "0");
    std::move(again).accept();
}

TEST_P(TransportSuite, takes_a_dropped_delivery_as_requeued) { // B93
    const std::string queue = a_queue();
    holding_sink sink;
    const auto subscription = billing->consume(queue, {}, sink);
    send_numbered(shop, address::queue(queue), 1);

    { const delivery dropped = sink.take_one(); }

    delivery again = sink.take_one();
    EXPECT_GT(again.earlier_deliveries(), 0U);
    std::move(again).accept();
}

TEST_P(TransportSuite, puts_a_rejected_message_among_the_dead_letters) { // B41
    const std::string dead = a_queue("dead");
    const std::string queue = unique("orders");
    const topology wanted{.queues = {{.name = queue, .dead_letters = dead}}};
    declare(shop, wanted);
    billing->declare(wanted); // who consumes a queue may have to know where its dead letters go
    holding_sink sink;
    accepting_sink dead_letters;
    const auto first = billing->consume(queue, {}, sink);
    const auto second = shop->consume(dead, {}, dead_letters);
    envelope message = a_message_to(address::queue(queue));
    message.headers.set("x-mine", "kept");
    ASSERT_EQ(send(shop, message).status, send_status::confirmed);

    sink.take_one().reject();

    ASSERT_TRUE(dead_letters.await(1));
    EXPECT_EQ(dead_letters.messages().front().body, message.body);
    EXPECT_EQ(dead_letters.messages().front().headers.text("x-mine"), "kept");
}

TEST_P(TransportSuite, requeues_a_rejected_message_where_there_are_no_dead_letters) { // B41
    const std::string queue = a_queue();
    holding_sink sink;
    const auto subscription = billing->consume(queue, {}, sink);
    send_numbered(shop, address::queue(queue), 1);

    sink.take_one().reject();

    delivery again = sink.take_one();
    EXPECT_GT(again.earlier_deliveries(), 0U);
    std::move(again).accept();
}

TEST_P(TransportSuite, lets_any_thread_settle) { // B93
    constexpr int count = 400;
    const std::string queue = a_queue();
    holding_sink sink;
    const auto subscription = billing->consume(queue, {.prefetch = 16}, sink);
    watched<std::vector<std::string>> seen;
    const auto settle = [&] {
        for (int i = 0; i < count / 4; ++i) {
            delivery each = sink.take_one();
            seen.change([&](auto& bodies) { bodies.push_back(body_of(each)); });
            std::move(each).accept();
        }
    };
    {
        std::vector<std::jthread> slots;
        for (int i = 0; i < 4; ++i) {
            slots.emplace_back(settle);
        }
        send_numbered(shop, address::queue(queue), count);
    }

    EXPECT_EQ(sorted(seen.get()), sorted(numbers(count)));
}

TEST_P(TransportSuite, lets_a_delivery_be_settled_after_its_subscription) { // B93, B94
    const std::string queue = a_queue();
    holding_sink sink;
    auto subscription = billing->consume(queue, {}, sink);
    send_numbered(shop, address::queue(queue), 2);
    ASSERT_TRUE(sink.await(2));
    std::vector<delivery> late = sink.take_all();

    subscription.reset();
    for (delivery& each : late) {
        std::move(each).accept();
    }

    EXPECT_EQ(sink.size(), 0U);
}

} // namespace ferry::testing
