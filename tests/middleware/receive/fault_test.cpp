#include <ferry/middleware/receive/fault.hpp>

#include <middleware/stage_support.hpp>

#include <stdexcept>

namespace ferry::middleware {
namespace {

class Fault : public stage_test {
protected:
    static void fail(receive_context&) { throw std::invalid_argument{"no such customer"}; }

    std::vector<std::string> lines;
    log_function log = [this](log_level, std::string_view line) { lines.emplace_back(line); };
    fault stage{bus, clock{time}, log};
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
                                     {"fault-endpoint", "billing"}}));
    EXPECT_EQ(message.settled(), settlement::dead_lettered);
    EXPECT_EQ(lines.size(), 1U);
}

TEST_F(Fault, tells_a_requester_instead) { // B14
    receive_context& message = received([](envelope& each) {
        each.kind = message_kind::request;
        each.response = address::queue("caller");
        each.correlation_id = id_source{1}.next({});
    });
    run(stage, message, fail);
    ASSERT_EQ(bus.sent.size(), 1U);
    EXPECT_EQ(bus.sent[0].kind, message_kind::reply);
    EXPECT_EQ(bus.sent[0].correlation_id, message.envelope().correlation_id);
    EXPECT_EQ(bus.sent[0].body.view(), R"({"type":"std::invalid_argument","text":"no such customer"})");
    EXPECT_EQ(message.settled(), settlement::dead_lettered);
}

TEST_F(Fault, passes_on_that_the_error_queue_is_out_of_reach) { // B40
    bus.failure = std::make_exception_ptr(transport_error{"no connection"});
    receive_context& message = received();
    EXPECT_THROW(run(stage, message, fail), transport_error);
    EXPECT_FALSE(message.settled());
}

} // namespace
} // namespace ferry::middleware
