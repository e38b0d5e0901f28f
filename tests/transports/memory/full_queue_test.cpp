#include "memory_fixture.hpp"

namespace ferry::testing {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class MemoryFullQueue : public memory_fixture {
protected:
    MemoryFullQueue() : memory_fixture{{.max_queue_messages = 2, .send_timeout = 30s, .max_waiting_sends = 2}} {
        send_orders({"a", "b"});
    }
    void TearDown() override { transport.stop(); } // calls the last callbacks while there is somebody to hear them

    void start_to_send(const envelope& message) {
        transport.send(message, [this](send_outcome outcome) {
            outcomes.change([&](auto& all) { all.push_back(std::move(outcome)); });
        });
    }
    [[nodiscard]] std::size_t outcomes_so_far() const {
        return outcomes.look([](const auto& all) { return all.size(); });
    }
    [[nodiscard]] send_outcome outcome(std::size_t index = 0) const {
        EXPECT_TRUE(outcomes.eventually([index](const auto& all) { return all.size() > index; }));
        return outcomes.look([index](const auto& all) { return all.at(index); });
    }
    /// The error of a failed send, checked to be transient.
    [[nodiscard]] static std::string failure(const send_outcome& outcome) {
        EXPECT_EQ(outcome.status, send_status::failed);
        try {
            std::rethrow_exception(outcome.error);
        } catch (const transport_error& thrown) {
            EXPECT_TRUE(thrown.is_transient());
            return thrown.what();
        }
    }

    watched<std::vector<send_outcome>> outcomes;
};

TEST_F(MemoryFullQueue, says_how_long_a_send_may_wait) {
    const auto shared = std::make_shared<memory::broker>(memory::broker_options{.send_timeout = 2min});
    EXPECT_EQ(memory::transport{shared}.send_timeout(), 2min);
    EXPECT_EQ(memory::transport{memory::broker_options{.send_timeout = 3min}}.send_timeout(), 3min);
}

TEST_F(MemoryFullQueue, lets_a_send_wait_until_there_is_room) {
    start_to_send(an_order("c"));
    EXPECT_EQ(outcomes_so_far(), 0U);

    accepting_sink sink;
    const auto consuming = transport.consume("orders", {}, sink);

    EXPECT_EQ(outcome().status, send_status::confirmed);
    ASSERT_TRUE(sink.await(3));
    EXPECT_THAT(sink.bodies(), ElementsAre("a", "b", "c"));
}

TEST_F(MemoryFullQueue, admits_those_who_wait_when_it_is_purged) {
    start_to_send(an_order("c"));

    broker->purge("orders");

    EXPECT_EQ(outcome().status, send_status::confirmed);
    EXPECT_THAT(waiting(), ElementsAre("c"));
}

TEST_F(MemoryFullQueue, fails_a_send_that_has_waited_too_long) {
    start_to_send(an_order("c"));
    time.await_waiters();
    time.advance(10s);
    start_to_send(an_order("d"));

    time.advance(20s);
    EXPECT_THAT(failure(outcome(0)), HasSubstr("\"orders\" is full"));
    EXPECT_EQ(outcomes_so_far(), 1U);
    time.await_waiters();
    time.advance(10s);

    EXPECT_THAT(failure(outcome(1)), HasSubstr("\"orders\" is full"));
    EXPECT_THAT(waiting(), ElementsAre("a", "b"));
}

TEST_F(MemoryFullQueue, fails_at_once_when_too_many_wait_already) {
    start_to_send(an_order("c"));
    start_to_send(an_order("d"));
    ASSERT_EQ(outcomes_so_far(), 0U);

    start_to_send(an_order("e"));

    EXPECT_THAT(failure(outcome()), HasSubstr("\"orders\" is full"));
}

TEST_F(MemoryFullQueue, fails_the_sends_of_a_transport_that_stops) { // B94
    start_to_send(an_order("c"));

    transport.stop();

    ASSERT_EQ(outcomes_so_far(), 1U);
    EXPECT_THAT(failure(outcome()), HasSubstr("\"orders\""));
    EXPECT_THAT(waiting(), ElementsAre("a", "b"));
}

TEST_F(MemoryFullQueue, fails_the_sends_to_a_queue_that_goes_away) {
    memory::transport instance{broker};
    instance.start(host.lend());
    instance.declare({.queues = {{.name = "mine", .temporary = true}}});
    const address mine = address::queue("mine");
    send(a_message_to(mine, "1"));
    send(a_message_to(mine, "2"));
    start_to_send(a_message_to(mine, "3"));

    instance.stop();

    EXPECT_THAT(failure(outcome()), HasSubstr("\"mine\""));
}

TEST_F(MemoryFullQueue, holds_up_an_event_until_every_queue_has_it) {
    transport.declare({.queues = {{.name = "empty"}},
                       .exchanges = {{.name = "events"}},
                       .bindings = {{"events", address::queue("orders")}, {"events", address::queue("empty")}}});

    start_to_send(a_message_to(address::exchange("events"), "c"));
    EXPECT_EQ(outcomes_so_far(), 0U);
    EXPECT_THAT(waiting("empty"), ElementsAre("c"));
    broker->purge("orders");

    EXPECT_EQ(outcome().status, send_status::confirmed);
    EXPECT_THAT(waiting("orders"), ElementsAre("c"));
}

TEST_F(MemoryFullQueue, takes_back_a_delivery_even_so) {
    holding_sink sink;
    auto consuming = transport.consume("orders", {.prefetch = 2}, sink);
    send_orders({"c", "d"});
    consuming.reset();

    sink.take_all().clear();

    EXPECT_THAT(waiting(), ElementsAre("a", "b", "c", "d"));
}

TEST_F(MemoryFullQueue, keeps_a_rejected_message_when_the_dead_letters_are_full) { // B41
    transport.declare({.queues = {{.name = "source", .dead_letters = "orders"}}});
    send(a_message_to(address::queue("source"), "bad"));
    holding_sink sink;
    auto consuming = transport.consume("source", {}, sink);
    delivery bad = sink.take_one();
    consuming.reset();

    std::move(bad).reject();

    EXPECT_THAT(waiting("source"), ElementsAre("bad"));
    EXPECT_THAT(waiting("orders"), ElementsAre("a", "b"));
}

class MemoryQueueBytes : public memory_fixture {
protected:
    MemoryQueueBytes() : memory_fixture{{.max_queue_bytes = 1000, .max_waiting_sends = 0}} {}
};

TEST_F(MemoryQueueBytes, is_full_when_its_messages_are_that_long_together) {
    send_orders({std::string(600, 'x')});

    EXPECT_EQ(send(an_order(std::string(600, 'y'))).status, send_status::failed);
    EXPECT_EQ(send(an_order("short")).status, send_status::confirmed);
}

TEST_F(MemoryQueueBytes, takes_a_message_above_the_limit_alone) {
    EXPECT_EQ(send(an_order(std::string(5000, 'x'))).status, send_status::confirmed);
    EXPECT_EQ(send(an_order("short")).status, send_status::failed);
}

/// A queue with room for a small message but for no second large one, and two transports that send to it.
class MemoryWaitingRoom : public memory_fixture {
protected:
    MemoryWaitingRoom() : memory_fixture{{.max_queue_bytes = 1000, .send_timeout = 30s}} {
        send_orders({std::string(600, 'x')});
        other.start(host.lend());
    }
    void TearDown() override {
        other.stop();
        transport.stop();
    }

    void start_to_send(memory::transport& sender, const std::string& body) {
        sender.send(an_order(body), [this, body](const send_outcome& outcome) {
            (outcome.status == send_status::confirmed ? taken : failed).change([&](auto& all) {
                all.push_back(body.substr(0, 5));
            });
        });
    }
    [[nodiscard]] static bool has(const watched<std::vector<std::string>>& outcomes, const std::string& body) {
        return outcomes.eventually([&](const auto& all) { return std::ranges::contains(all, body); });
    }

    memory::transport other{broker};
    watched<std::vector<std::string>> taken;
    watched<std::vector<std::string>> failed;
};

TEST_F(MemoryWaitingRoom, admits_who_fits_when_the_first_has_waited_too_long) {
    start_to_send(transport, std::string(600, 'y'));
    time.await_waiters();
    time.advance(20s);
    start_to_send(transport, "small");

    time.advance(10s);

    EXPECT_TRUE(has(failed, "yyyyy"));
    EXPECT_TRUE(has(taken, "small"));
    EXPECT_THAT(waiting(), ElementsAre(std::string(600, 'x'), "small"));
}

TEST_F(MemoryWaitingRoom, admits_who_fits_when_the_transport_of_the_first_stops) {
    start_to_send(other, std::string(600, 'y'));
    start_to_send(transport, "small");

    other.stop();

    EXPECT_TRUE(has(failed, "yyyyy"));
    EXPECT_TRUE(has(taken, "small"));
    EXPECT_THAT(waiting(), ElementsAre(std::string(600, 'x'), "small"));
}

} // namespace ferry::testing
