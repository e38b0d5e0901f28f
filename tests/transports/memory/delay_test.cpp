#include "memory_fixture.hpp"

namespace ferry::testing {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class MemoryDelay : public memory_fixture {
protected:
    send_outcome send_in(duration delay, std::string_view body) {
        envelope message = an_order(body);
        message.scheduled_at = time.now() + delay;
        return send(message);
    }

    accepting_sink sink;
    std::unique_ptr<subscription> consuming = transport.consume("orders", {}, sink);
};

TEST_F(MemoryDelay, keeps_a_message_until_its_time) { // B34, B95
    EXPECT_EQ(send_in(1h, "later").status, send_status::confirmed);
    time.await_waiters();
    time.advance(59min);
    EXPECT_EQ(broker->delayed(), 1U);
    EXPECT_THAT(sink.bodies(), IsEmpty());

    time.advance(1min);

    EXPECT_TRUE(sink.await(1));
    EXPECT_EQ(broker->delayed(), 0U);
}

TEST_F(MemoryDelay, sends_what_is_due_already_at_once) { // B82
    send_in(0s, "now");
    send_in(-1h, "past");

    EXPECT_THAT(sink.bodies(), ElementsAre("now", "past"));
}

TEST_F(MemoryDelay, brings_messages_in_due_order_and_equals_as_they_were_sent) {
    send_in(3min, "third");
    send_in(1min, "first");
    send_in(2min, "second, a");
    send_in(2min, "second, b");

    time.advance(3min);

    ASSERT_TRUE(sink.await(4));
    EXPECT_THAT(sink.bodies(), ElementsAre("first", "second, a", "second, b", "third"));
}

TEST_F(MemoryDelay, wakes_for_a_message_that_is_due_before_the_one_it_waits_for) {
    send_in(1h, "later");
    time.await_waiter_for(time.now() + 1h);

    send_in(1min, "sooner");
    time.await_waiter_for(time.now() + 1min);
    time.advance(1min);

    ASSERT_TRUE(sink.await(1));
    EXPECT_THAT(sink.bodies(), ElementsAre("sooner"));
}

TEST_F(MemoryDelay, outlives_the_transport_that_sent_it) {
    memory::transport other{broker};
    other.start(host.lend());
    envelope message = an_order();
    message.scheduled_at = time.now() + 1min;
    other.send(message, [](const send_outcome&) {});
    other.stop();

    time.advance(1min);

    EXPECT_TRUE(sink.await(1));
}

TEST_F(MemoryDelay, drops_a_message_whose_queue_is_gone_when_it_is_due) {
    memory::transport instance{broker};
    instance.start(host.lend());
    instance.declare({.queues = {{.name = "mine", .temporary = true}}});
    envelope message = a_message_to(address::queue("mine"), "too late");
    message.scheduled_at = time.now() + 1min;
    ASSERT_EQ(send(message).status, send_status::confirmed);
    instance.stop();

    send_in(2min, "the next one");
    time.advance(2min);

    EXPECT_TRUE(sink.await(1));
    EXPECT_EQ(broker->delayed(), 0U);
}

TEST_F(MemoryDelay, ends_promptly_with_messages_still_waiting) {
    send_in(24h, "never");
    time.await_waiters();

    consuming.reset();
    transport.stop();
    transport = memory::transport{}; // lets go of the broker
    broker.reset();
}

class MemoryDelayLimit : public memory_fixture {
protected:
    MemoryDelayLimit() : memory_fixture{{.max_queue_messages = 2}} {}
};

TEST_F(MemoryDelayLimit, fails_a_delayed_message_when_too_many_wait) {
    envelope message = an_order();
    message.scheduled_at = time.now() + 1min;
    send(message);
    send(message);

    const send_outcome outcome = send(message);

    EXPECT_EQ(outcome.status, send_status::failed);
    EXPECT_THAT(error_of([&] { std::rethrow_exception(outcome.error); }), ::testing::HasSubstr("queue:orders"));
}

} // namespace ferry::testing
