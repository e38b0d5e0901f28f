#include <ferry/middleware/receive/fault.hpp>
#include <ferry/middleware/receive/redelivery.hpp>

#include <gmock/gmock.h>
#include <middleware/stage_support.hpp>

#include <limits>
#include <stdexcept>

namespace ferry::middleware {
namespace {

class Fault : public stage_test {
protected:
    static void fail(receive_context&) { throw std::invalid_argument{"no such customer"}; }

    receive_context& request() {
        return received([](envelope& each) {
            each.kind = message_kind::request;
            each.response = address::queue("caller");
            each.correlation_id = id_source{1}.next({});
        });
    }

    fault stage{bus, control, clock{time}, log};
};

TEST_F(Fault, stays_out_of_the_way_of_what_succeeds) {
    receive_context& message = received();
    run(stage, message);
    EXPECT_TRUE(bus.sent.empty());
    EXPECT_FALSE(message.settled());
}

TEST_F(Fault, sends_what_failed_to_the_error_queue_with_the_reason) { // B37
    receive_context& message = received([](envelope& each) { each.headers.set("own", 1); });
    run(stage, message, fail);
    ASSERT_EQ(bus.sent.size(), 1U);
    const envelope& dead = bus.sent[0];
    EXPECT_EQ(dead.destination, address::queue("billing_error"));
    EXPECT_EQ(dead.kind, message_kind::fault);
    EXPECT_EQ(dead.body.view(), R"({"order_id":"17"})");
    EXPECT_EQ(dead.headers, (headers{{"own", 1},
                                     {"fault-exception-type", "std::invalid_argument"},
                                     {"fault-message", "no such customer"},
                                     {"fault-timestamp", "2030-01-01T00:00:00.000Z"},
                                     {"fault-endpoint", "billing"},
                                     {"fault-attempts", 0}}));
    EXPECT_EQ(message.settled(), settlement::dead_lettered);
    EXPECT_EQ(lines.size(), 1U);
    EXPECT_EQ(control.last_error, "std::invalid_argument: no such customer");
}

TEST_F(Fault, sends_a_message_for_each_consumer_that_failed) { // B37
    consume<order_placed>([](const order_placed&, consume_context&) {});
    consume<order_placed>([](const order_placed&, consume_context&) {});
    receive_context& message = received([](envelope& each) { each.headers.set("earlier-attempts", 4); });
    run(stage, message, [](receive_context& each) {
        for (const consumer_run* run : each.consumers()) {
            each.failures().push_back({.consumer = &run->consumer(),
                                       .thrown = std::make_exception_ptr(std::runtime_error{run->consumer().name()}),
                                       .attempts = 2});
        }
        std::rethrow_exception(each.failures().front().thrown);
    });
    ASSERT_EQ(bus.sent.size(), 2U);
    EXPECT_EQ(bus.sent[0].headers.text("fault-consumer"), "consumer 0");
    EXPECT_EQ(bus.sent[1].headers.text("fault-consumer"), "consumer 1");
    EXPECT_EQ(bus.sent[1].headers.text("fault-message"), "consumer 1");
    EXPECT_EQ(*bus.sent[1].headers.find("fault-attempts"), header_value{6});
    EXPECT_FALSE(bus.sent[1].headers.contains("earlier-attempts"));
}

TEST_F(Fault, leaves_nothing_of_the_rounds_to_whoever_reads_the_error_queue) { // B95
    receive_context& message = received([](envelope& each) {
        each.headers = {{"own", 1}, {"delayed-retry-count", 3}, {"target-consumer", "me"}, {"earlier-attempts", 4}};
    });
    run(stage, message, fail);
    const headers& dead = bus.sent.at(0).headers;
    EXPECT_TRUE(dead.contains("own"));
    EXPECT_FALSE(dead.contains("delayed-retry-count"));
    EXPECT_FALSE(dead.contains("target-consumer"));
    EXPECT_FALSE(dead.contains("earlier-attempts"));
}

TEST_F(Fault, takes_the_deadline_off_and_says_what_it_was) { // B37
    receive_context& message = received([&](envelope& each) { each.deliver_by = time.now() + 1500ms; });
    run(stage, message, fail);
    const envelope& dead = bus.sent.at(0);
    EXPECT_FALSE(dead.deliver_by);
    EXPECT_EQ(dead.headers.text("fault-deliver-by"), "2030-01-01T00:00:01.500Z");
}

class one_trace final : public stack_trace_source {
public:
    void watch_this_thread(bool) noexcept override {}
    [[nodiscard]] std::string trace_of(const std::exception_ptr&) const override { return trace; }
    std::string trace = "charge at billing.cpp:17";
};

TEST_F(Fault, has_the_stack_where_one_was_captured) { // B37
    one_trace traces;
    run(fault{bus, control, clock{time}, log, &traces}, received(), fail);
    traces.trace.clear();
    run(fault{bus, control, clock{time}, log, &traces}, received(), fail);
    ASSERT_EQ(bus.sent.size(), 2U);
    EXPECT_EQ(bus.sent[0].headers.text("fault-stack-trace"), "charge at billing.cpp:17");
    EXPECT_FALSE(bus.sent[1].headers.contains("fault-stack-trace"));
}

TEST_F(Fault, adds_to_any_number_of_earlier_attempts) { // B37
    receive_context& message = received(
        [](envelope& each) { each.headers.set("earlier-attempts", std::numeric_limits<std::int64_t>::max()); });
    run(stage, message, [](receive_context& each) {
        each.failures().push_back(
            {.thrown = std::make_exception_ptr(std::runtime_error{"no such customer"}), .attempts = 1});
        fail(each);
    });
    EXPECT_EQ(*bus.sent.at(0).headers.find("fault-attempts"),
              header_value{std::int64_t{std::numeric_limits<int>::max()} + 1});
}

TEST_F(Fault, forgets_what_the_policy_discards) { // B26
    exception_policy policy;
    policy.otherwise().discard();
    receive_context& message = received();
    run(stage, message, [&](receive_context& each) {
        const auto thrown = std::make_exception_ptr(std::runtime_error{"seen before"});
        each.failures().push_back({.thrown = thrown, .attempts = 1, .rule = policy.match(thrown)});
        std::rethrow_exception(thrown);
    });
    EXPECT_TRUE(bus.sent.empty());
    EXPECT_EQ(message.settled(), settlement::discarded);
    EXPECT_THAT(lines, ::testing::ElementsAre(::testing::HasSubstr("was discarded: std::runtime_error: seen before")));
}

TEST_F(Fault, leaves_the_message_to_the_broker_where_there_is_no_error_queue) { // B41
    endpoint.error_queue.clear();
    receive_context& message = received();
    run(stage, message, fail);
    EXPECT_TRUE(bus.sent.empty());
    EXPECT_EQ(message.settled(), settlement::rejected);
    EXPECT_EQ(lines.size(), 1U);
}

TEST_F(Fault, lets_what_could_not_be_put_back_for_later_return_to_its_queue) {
    receive_context& message = received();
    EXPECT_THROW(run(stage, message, [](receive_context&) { throw redelivery_failed{"no connection"}; }),
                 redelivery_failed);
    EXPECT_TRUE(bus.sent.empty());
    EXPECT_FALSE(message.settled());
}

TEST_F(Fault, tells_a_requester_instead) { // B14
    receive_context& message = request();
    run(stage, message, fail);
    ASSERT_EQ(bus.sent.size(), 1U);
    EXPECT_EQ(bus.sent[0].kind, message_kind::reply);
    EXPECT_EQ(bus.sent[0].correlation_id, message.envelope().correlation_id);
    EXPECT_EQ(bus.sent[0].body.view(), R"({"type":"std::invalid_argument","text":"no such customer"})");
    EXPECT_EQ(message.settled(), settlement::dead_lettered);
}

TEST_F(Fault, sends_a_request_to_the_error_queue_when_its_caller_is_gone) { // B43
    bus.dispatch_failure = std::make_exception_ptr(transport_error{"there is no queue:caller", false});
    receive_context& message = request();
    run(stage, message, fail);
    ASSERT_EQ(bus.sent.size(), 1U);
    EXPECT_EQ(bus.sent[0].destination, address::queue("billing_error"));
    EXPECT_EQ(bus.sent[0].headers.text("fault-message"), "no such customer");
    EXPECT_EQ(message.settled(), settlement::dead_lettered);
}

TEST_F(Fault, passes_on_that_a_requester_is_out_of_reach_for_now) {
    bus.dispatch_failure = std::make_exception_ptr(transport_error{"no connection"});
    receive_context& message = request();
    EXPECT_THROW(run(stage, message, fail), transport_error);
    EXPECT_TRUE(bus.sent.empty());
    EXPECT_FALSE(message.settled());
}

TEST_F(Fault, passes_on_that_the_error_queue_is_out_of_reach) { // B40
    bus.failure = std::make_exception_ptr(transport_error{"no connection"});
    receive_context& message = received();
    EXPECT_THROW(run(stage, message, fail), transport_error);
    EXPECT_FALSE(message.settled());
}

} // namespace
} // namespace ferry::middleware
