#include "memory_fixture.hpp"

namespace ferry::testing {

using ::testing::ElementsAre;

class MemorySettling : public memory_fixture {
protected:
    /// Consumes everything that waits and ends the subscription again.
    [[nodiscard]] std::vector<delivery> take_everything() {
        holding_sink sink;
        const auto consuming = transport.consume("orders", {.prefetch = 1000}, sink);
        EXPECT_TRUE(sink.await(broker->depth("orders")));
        return sink.take_all();
    }
};

TEST_F(MemorySettling, puts_requeued_messages_back_in_their_order) { // B93
    send_orders({"a", "b", "c", "d"});
    std::vector<delivery> taken = take_everything();
    send_orders({"e"});

    for (const std::size_t index : {2U, 0U, 3U, 1U}) {
        std::move(taken[index]).requeue();
    }

    EXPECT_THAT(waiting(), ElementsAre("a", "b", "c", "d", "e"));
}

TEST_F(MemorySettling, counts_how_often_a_message_was_handed_out) {
    send_orders({"a"});
    for (std::uint32_t times = 0; times < 3; ++times) {
        std::vector<delivery> taken = take_everything();
        EXPECT_EQ(taken.front().earlier_deliveries(), times);
    }
}

TEST_F(MemorySettling, shares_one_copy_between_the_queues_of_an_event) {
    transport.declare({.queues = {{.name = "other"}},
                       .exchanges = {{.name = "events"}},
                       .bindings = {{"events", address::queue("orders")}, {"events", address::queue("other")}}});
    send(a_message_to(address::exchange("events"), "shared"));
    holding_sink sink;
    const auto first = transport.consume("orders", {}, sink);
    const auto second = transport.consume("other", {}, sink);

    std::vector<delivery> both = sink.take_all();

    ASSERT_EQ(both.size(), 2U);
    EXPECT_EQ(both[0].content().bytes().data(), both[1].content().bytes().data());
}

TEST_F(MemorySettling, takes_a_verdict_after_everything_else_is_gone) {
    transport.declare({.queues = {{.name = "risky", .dead_letters = "orders"}}});
    for (const std::string body : {"a", "b", "c"}) {
        send(a_message_to(address::queue("risky"), body));
    }
    std::vector<delivery> late;
    {
        holding_sink sink;
        const auto consuming = transport.consume("risky", {}, sink);
        late = sink.take_all();
    }
    transport.stop();
    transport = memory::transport{};
    broker.reset();

    std::move(late[0]).accept();
    std::move(late[1]).requeue();
    std::move(late[2]).reject();
}

TEST_F(MemorySettling, forgets_a_delivery_of_a_queue_that_is_gone) {
    memory::transport instance{broker};
    instance.start(host.lend());
    instance.declare({.queues = {{.name = "mine", .temporary = true}}});
    send(a_message_to(address::queue("mine"), "a"));
    holding_sink sink;
    const auto consuming = instance.consume("mine", {}, sink);
    instance.stop();

    sink.take_one().requeue();

    EXPECT_FALSE(broker->has_queue("mine"));
    EXPECT_EQ(sink.size(), 0U);
}

} // namespace ferry::testing
