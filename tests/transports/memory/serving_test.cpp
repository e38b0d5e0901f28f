#include "memory_fixture.hpp"

#include <functional>

namespace ferry::testing {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

namespace {

/// Does with its deliveries whatever the test says.
class scripted_sink final : public delivery_sink {
public:
    using script = std::function<void(std::span<delivery>)>;
    explicit scripted_sink(script run) : run_{std::move(run)} {}
    void deliver(std::span<delivery> deliveries) override { run_(deliveries); }

private:
    script run_;
};

} // namespace

class MemoryServing : public memory_fixture {};

TEST_F(MemoryServing, hands_a_backlog_over_in_batches) {
    std::vector<std::size_t> batches;
    scripted_sink sink{[&](std::span<delivery> deliveries) {
        batches.push_back(deliveries.size());
        for (delivery& each : deliveries) {
            std::move(each).accept();
        }
    }};
    for (int i = 0; i < 100; ++i) {
        send_orders({"x"});
    }

    const auto consuming = transport.consume("orders", {.prefetch = 20}, sink);

    EXPECT_EQ(batches, (std::vector<std::size_t>{20, 20, 20, 20, 20}));
}

TEST_F(MemoryServing, refills_a_consumer_when_a_quarter_of_its_credit_is_free) {
    holding_sink sink;
    const auto consuming = transport.consume("orders", {.prefetch = 8}, sink);
    for (int i = 0; i < 20; ++i) {
        send_orders({"x"});
    }
    ASSERT_EQ(sink.size(), 8U);

    sink.take_one().accept();
    EXPECT_EQ(sink.size(), 7U);
    sink.take_one().accept();
    EXPECT_EQ(sink.size(), 8U);
}

TEST_F(MemoryServing, refills_a_consumer_sooner_when_a_slot_would_wait_otherwise) {
    holding_sink sink;
    const auto consuming = transport.consume("orders", {.prefetch = 16, .slots = 15}, sink);
    for (int i = 0; i < 20; ++i) {
        send_orders({"x"});
    }
    ASSERT_EQ(sink.size(), 16U);

    sink.take_one().accept();
    EXPECT_EQ(sink.size(), 15U);
    sink.take_one().accept();
    EXPECT_EQ(sink.size(), 16U);
}

TEST_F(MemoryServing, gives_every_consumer_a_part_of_a_small_backlog) {
    holding_sink first;
    holding_sink second;
    auto one = transport.consume("orders", {}, first);
    auto two = transport.consume("orders", {}, second);
    one->pause();
    two->pause();
    for (int i = 0; i < 10; ++i) {
        send_orders({"x"});
    }
    ASSERT_EQ(broker->depth("orders"), 10U);

    one->resume();
    two->resume();

    EXPECT_EQ(first.size() + second.size(), 10U);
    EXPECT_EQ(broker->depth("orders"), 0U);
}

TEST_F(MemoryServing, takes_turns_between_consumers_that_are_ready) {
    holding_sink first;
    holding_sink second;
    const auto one = transport.consume("orders", {}, first);
    const auto two = transport.consume("orders", {}, second);

    send_orders({"a", "b", "c", "d"});

    EXPECT_EQ(first.size(), 2U);
    EXPECT_EQ(second.size(), 2U);
}

TEST_F(MemoryServing, does_not_recurse_when_a_sink_sends_to_its_own_queue) {
    int depth = 0;
    int deepest = 0;
    int left = 50;
    accepting_sink seen;
    scripted_sink sink{[&](std::span<delivery> deliveries) {
        deepest = std::max(deepest, ++depth);
        if (left > 0) {
            send_orders({std::to_string(--left)});
        }
        seen.deliver(deliveries);
        --depth;
    }};
    const auto consuming = transport.consume("orders", {}, sink);

    send_orders({"start"});

    EXPECT_TRUE(seen.await(51));
    EXPECT_EQ(deepest, 1);
}

TEST_F(MemoryServing, lets_a_sender_go_when_a_sink_keeps_the_queue_busy_for_ever) {
    watched<int> times;
    scripted_sink sink{[&](std::span<delivery>) { times.change([](int& count) { ++count; }); }}; // takes none
    auto consuming = transport.consume("orders", {}, sink);

    send_orders({"hot"}); // returns, although the message comes again and again

    EXPECT_TRUE(times.eventually([](int count) { return count > 1'000; }));
    consuming.reset();
    EXPECT_THAT(waiting(), ElementsAre("hot"));
}

TEST_F(MemoryServing, brings_delayed_messages_while_a_sink_keeps_the_queue_busy_for_ever) {
    watched<int> times;
    scripted_sink sink{[&](std::span<delivery>) { times.change([](int& count) { ++count; }); }}; // takes none
    auto consuming = transport.consume("orders", {}, sink);
    envelope later = an_order("later");
    later.scheduled_at = time.now() + 1min;
    send(later);
    send_orders({"hot"});
    ASSERT_TRUE(times.eventually([](int count) { return count > 1'000; })); // on the broker's thread by now

    time.advance(1min);

    EXPECT_TRUE(eventually([this] { return broker->delayed() == 0; })); // it is on its way into the queue
    consuming.reset();
    EXPECT_TRUE(eventually([this] { return broker->depth("orders") == 2; }));
    EXPECT_THAT(waiting(), ElementsAre("hot", "later"));
}

TEST_F(MemoryServing, takes_back_what_a_throwing_sink_left) {
    bool thrown = false;
    accepting_sink seen;
    scripted_sink sink{[&](std::span<delivery> deliveries) {
        if (!std::exchange(thrown, true)) {
            throw std::bad_alloc{};
        }
        seen.deliver(deliveries);
    }};
    const auto consuming = transport.consume("orders", {}, sink);

    send_orders({"a"});

    EXPECT_THAT(seen.bodies(), ElementsAre("a"));
}

} // namespace ferry::testing
