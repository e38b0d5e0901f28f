#include "transport_suite.hpp"

namespace ferry::testing {

TEST_P(TransportSuite, delivers_in_order_to_a_single_consumer) {
    const std::string queue = a_queue();
    accepting_sink sink;
    const auto subscription = billing->consume(queue, {.prefetch = 7}, sink);

    send_numbered(shop, address::queue(queue), 200);

    ASSERT_TRUE(sink.await(200));
    EXPECT_EQ(sink.bodies(), numbers(200));
}

TEST_P(TransportSuite, delivers_what_was_there_before_the_consumer) {
    const std::string queue = a_queue();
    send_numbered(shop, address::queue(queue), 50);
    accepting_sink sink;

    const auto subscription = billing->consume(queue, {.prefetch = 8}, sink);

    ASSERT_TRUE(sink.await(50));
    EXPECT_EQ(sink.bodies(), numbers(50));
}

TEST_P(TransportSuite, shares_a_queue_between_its_consumers) {
    const std::string queue = a_queue();
    holding_sink in_billing;
    holding_sink in_shop;
    const auto first = billing->consume(queue, {.prefetch = 5}, in_billing);
    const auto second = shop->consume(queue, {.prefetch = 5}, in_shop);

    send_numbered(shop, address::queue(queue), 10);

    ASSERT_TRUE(in_billing.await(5));
    ASSERT_TRUE(in_shop.await(5));
    std::vector<std::string> seen;
    for (holding_sink* sink : {&in_billing, &in_shop}) {
        for (delivery& each : sink->take_all()) {
            seen.push_back(body_of(each));
            std::move(each).accept();
        }
    }
    EXPECT_EQ(sorted(seen), sorted(numbers(10)));
}

TEST_P(TransportSuite, never_has_more_deliveries_out_than_the_prefetch_allows) {
    constexpr std::size_t prefetch = 4;
    const std::string queue = a_queue();
    send_numbered(shop, address::queue(queue), 20);
    holding_sink sink;
    const auto subscription = billing->consume(queue, {.prefetch = prefetch}, sink);
    std::vector<std::string> seen;

    while (seen.size() < 20) {
        ASSERT_TRUE(sink.await(std::min(prefetch, 20 - seen.size())));
        ASSERT_LE(sink.size(), prefetch);
        delivery next = sink.take_one();
        seen.push_back(body_of(next));
        std::move(next).accept();
    }

    EXPECT_EQ(seen, numbers(20));
}

TEST_P(TransportSuite, has_enough_deliveries_out_for_every_slot_of_a_consumer) {
    constexpr std::size_t slots = 8;
    const std::string queue = a_queue();
    send_numbered(shop, address::queue(queue), 20);
    holding_sink sink;
    const auto subscription = billing->consume(queue, {.prefetch = slots, .slots = slots}, sink);

    for (std::size_t left = 20; left >= slots; --left) {
        ASSERT_TRUE(sink.await(slots)) << "with " << left << " messages left";
        sink.take_one().accept();
    }
}

TEST_P(TransportSuite, leaves_the_messages_of_a_paused_subscription_to_the_others) {
    const std::string queue = a_queue();
    accepting_sink paused;
    accepting_sink busy;
    const auto first = billing->consume(queue, {}, paused);
    const auto second = shop->consume(queue, {}, busy);
    first->pause();

    send_numbered(shop, address::queue(queue), 20);

    ASSERT_TRUE(busy.await(20));
    EXPECT_TRUE(paused.bodies().empty());
}

TEST_P(TransportSuite, goes_on_when_a_subscription_is_resumed) {
    const std::string queue = a_queue();
    accepting_sink sink;
    const auto subscription = billing->consume(queue, {}, sink);
    subscription->pause();
    send_numbered(shop, address::queue(queue), 20);

    subscription->resume();

    // What was on its way when it paused went back, and a broker may have handed out others before it came again.
    ASSERT_TRUE(sink.await(20));
    EXPECT_THAT(sink.bodies(), ::testing::UnorderedElementsAreArray(numbers(20)));
}

TEST_P(TransportSuite, lets_one_message_through_a_paused_subscription) { // B44
    const std::string queue = a_queue();
    accepting_sink tested;
    accepting_sink busy;
    const auto first = billing->consume(queue, {}, tested);
    const auto second = shop->consume(queue, {.prefetch = 1}, busy);
    first->pause();
    first->resume_for_one();

    std::size_t sent = 0;
    ASSERT_TRUE(eventually([&] { // the other consumer is quicker, as long as this one is not known everywhere
        send_numbered(shop, address::queue(queue), 1);
        ++sent;
        return !tested.bodies().empty();
    })) << "it waited for one to come";
    send_numbered(shop, address::queue(queue), 20);

    ASSERT_TRUE(busy.await(sent + 19)) << "and left all others to the other consumer";
    EXPECT_EQ(tested.bodies().size(), 1U);
}

TEST_P(TransportSuite, lets_one_message_through_at_a_time_and_all_when_it_is_resumed) { // B44
    const std::string queue = a_queue();
    accepting_sink sink;
    const auto subscription = billing->consume(queue, {}, sink);
    subscription->pause();
    send_numbered(shop, address::queue(queue), 20);
    for (std::size_t i = 1; i <= 3; ++i) {
        subscription->resume_for_one();
        ASSERT_TRUE(sink.await(i));
        EXPECT_EQ(sink.bodies().size(), i);
    }

    subscription->resume();

    ASSERT_TRUE(sink.await(20));
    EXPECT_EQ(sorted(sink.bodies()), sorted(numbers(20)));
}

TEST_P(TransportSuite, gives_a_message_to_the_next_consumer_when_a_subscription_ends) {
    const std::string queue = a_queue();
    holding_sink gone;
    auto ending = billing->consume(queue, {.prefetch = 4}, gone);
    send_numbered(shop, address::queue(queue), 10);
    ASSERT_TRUE(gone.await(4));

    ending.reset();
    gone.take_all().clear();
    accepting_sink sink;
    const auto subscription = shop->consume(queue, {}, sink);

    ASSERT_TRUE(sink.await(10));
    EXPECT_EQ(sorted(sink.bodies()), sorted(numbers(10)));
    EXPECT_EQ(gone.size(), 0U);
}

TEST_P(TransportSuite, refuses_to_consume_a_queue_that_is_not_there) {
    holding_sink sink;
    const std::string missing = unique("missing");

    try {
        static_cast<void>(shop->consume(missing, {}, sink));
        FAIL() << "consuming it went well";
    } catch (const error& thrown) {
        EXPECT_THAT(thrown.what(), ::testing::HasSubstr(missing));
    }
}

} // namespace ferry::testing
