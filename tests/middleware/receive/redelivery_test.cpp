#include <ferry/middleware/receive/redelivery.hpp>

#include <gmock/gmock.h>
#include <middleware/stage_support.hpp>

#include <limits>
#include <stdexcept>

namespace ferry::middleware {
namespace {

class Redelivery : public stage_test {
protected:
    /// A message that comes in with these headers, and fails for every consumer there is.
    receive_context& failing(const headers& own = {}, message_kind kind = message_kind::publish) {
        receive_context& message = received([&](envelope& each) {
            each.message_id = id_source{1}.next({});
            each.headers = own;
            each.kind = kind;
            each.destination = address::exchange("order-placed");
        });
        return message;
    }
    void run_failing(receive_context& message) { run_failing(stage, message); }
    void run_failing(const redelivery& tried, receive_context& message) {
        run(tried, message, [](receive_context& each) {
            for (const consumer_run* run : each.consumers()) {
                const auto thrown = std::make_exception_ptr(std::runtime_error{"no"});
                each.failures().push_back({.consumer = &run->consumer(),
                                           .thrown = thrown,
                                           .attempts = 4,
                                           .rule = run->consumer().settings().policy.match(thrown)});
            }
            throw std::runtime_error{"no"};
        });
    }
    void add_consumer(const std::function<void(exception_policy&)>& configure) {
        exception_policy policy;
        configure(policy);
        consume<order_placed>([](const order_placed&, consume_context&) {}, std::move(policy));
    }

    redelivery stage{bus, nullptr, clock{time}, log};
};

TEST_F(Redelivery, puts_the_message_into_the_endpoints_own_queue_for_later) { // B34
    add_consumer([](exception_policy& on) { on.otherwise().redeliver({5min, 15min}); });
    receive_context& message = failing({{"own", 1}});
    run_failing(message);
    ASSERT_EQ(bus.sent.size(), 1U);
    const envelope& again = bus.sent[0];
    EXPECT_EQ(again.message_id, message.envelope().message_id);
    EXPECT_EQ(again.destination, address::queue("billing"));
    EXPECT_EQ(again.scheduled_at, time.now() + 5min);
    EXPECT_EQ(
        again.headers,
        (headers{{"own", 1}, {"delayed-retry-count", 1}, {"target-consumer", "consumer 0"}, {"earlier-attempts", 4}}));
    EXPECT_EQ(message.settled(), settlement::redelivered);
    EXPECT_THAT(lines, ::testing::ElementsAre(::testing::HasSubstr("comes again to consumer 0 in 5 min")));
}

TEST_F(Redelivery, counts_the_rounds) { // B34
    add_consumer([](exception_policy& on) { on.otherwise().redeliver({5min, 15min}); });
    run_failing(failing({{"delayed-retry-count", 1}, {"earlier-attempts", 4}}));
    ASSERT_EQ(bus.sent.size(), 1U);
    EXPECT_EQ(*bus.sent[0].headers.find("delayed-retry-count"), header_value{2});
    EXPECT_EQ(*bus.sent[0].headers.find("earlier-attempts"), header_value{8});
    EXPECT_EQ(bus.sent[0].scheduled_at, time.now() + 15min);
}

TEST_F(Redelivery, takes_a_count_that_is_none_for_zero) { // B34
    add_consumer([](exception_policy& on) { on.otherwise().redeliver({5min}); });
    for (const header_value& nonsense : {header_value{"two"}, header_value{-3}, header_value{true}, header_value{}}) {
        bus.sent.clear();
        run_failing(failing({{"delayed-retry-count", nonsense}}));
        ASSERT_EQ(bus.sent.size(), 1U);
        EXPECT_EQ(*bus.sent[0].headers.find("delayed-retry-count"), header_value{1});
    }
}

TEST_F(Redelivery, adds_to_any_number_of_earlier_attempts) { // B34
    add_consumer([](exception_policy& on) { on.otherwise().redeliver({5min}); });
    run_failing(failing({{"earlier-attempts", std::numeric_limits<std::int64_t>::max()}}));
    ASSERT_EQ(bus.sent.size(), 1U);
    EXPECT_EQ(*bus.sent[0].headers.find("earlier-attempts"),
              header_value{std::int64_t{std::numeric_limits<int>::max()} + 4});
}

TEST_F(Redelivery, passes_the_failure_on_when_all_rounds_are_used_up) { // B36
    add_consumer([](exception_policy& on) { on.otherwise().redeliver({5min}); });
    for (const std::int64_t count : {std::int64_t{1}, std::int64_t{7}, std::int64_t{1} << 40}) {
        EXPECT_THROW(run_failing(failing({{"delayed-retry-count", count}})), std::runtime_error);
    }
    EXPECT_TRUE(bus.sent.empty());
}

TEST_F(Redelivery, is_not_for_requests) { // B15
    add_consumer([](exception_policy& on) { on.otherwise().redeliver(); });
    EXPECT_THROW(run_failing(failing({}, message_kind::request)), std::runtime_error);
    EXPECT_TRUE(bus.sent.empty());
}

TEST_F(Redelivery, is_for_those_consumers_alone_whose_policy_says_so) {
    add_consumer([](exception_policy& on) { on.otherwise().redeliver({1min}); });
    add_consumer([](exception_policy& on) { on.otherwise().dead_letter(); });
    add_consumer([](exception_policy& on) { on.otherwise().redeliver({2min}); });
    receive_context& message = failing();
    EXPECT_THROW(run_failing(message), std::runtime_error) << "one is left for the error queue";
    ASSERT_EQ(bus.sent.size(), 2U);
    EXPECT_EQ(bus.sent[0].headers.text("target-consumer"), "consumer 0");
    EXPECT_EQ(bus.sent[1].headers.text("target-consumer"), "consumer 2");
    EXPECT_EQ(bus.sent[1].scheduled_at, time.now() + 2min);
    ASSERT_EQ(message.failures().size(), 1U);
    EXPECT_EQ(message.failures()[0].consumer->name(), "consumer 1");
    EXPECT_FALSE(message.settled());
}

TEST_F(Redelivery, says_when_the_message_could_not_be_put_back) {
    add_consumer([](exception_policy& on) { on.otherwise().redeliver(); });
    bus.failure = std::make_exception_ptr(transport_error{"no connection"});
    EXPECT_THROW(run_failing(failing()), redelivery_failed);
}

TEST_F(Redelivery, lets_the_message_wait_in_the_store_where_there_is_one) { // B35
    recording_scheduler store;
    add_consumer([](exception_policy& on) { on.otherwise().redeliver({5min}); });
    const redelivery with_store{bus, &store, clock{time}, log};
    receive_context& message = failing();
    run_failing(with_store, message);
    EXPECT_TRUE(bus.sent.empty());
    ASSERT_EQ(store.kept.size(), 1U);
    EXPECT_EQ(store.kept[0].scheduled_at, time.now() + 5min);
    EXPECT_EQ(store.kept[0].destination, address::queue("billing"));
    EXPECT_EQ(message.settled(), settlement::redelivered);
}

TEST_F(Redelivery, passes_on_what_no_consumer_threw) {
    EXPECT_THROW(run(stage, received(), [](receive_context&) { throw std::logic_error{"a stage"}; }), std::logic_error);
}

TEST_F(Redelivery, is_absent_where_no_policy_redelivers) {
    EXPECT_FALSE(redelivery::from(endpoint, bus, nullptr, clock{time}, log));
    endpoint.redelivers = true;
    EXPECT_TRUE(redelivery::from(endpoint, bus, nullptr, clock{time}, log));
}

} // namespace
} // namespace ferry::middleware
