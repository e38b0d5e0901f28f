#include <ferry/middleware/consume/retry.hpp>

#include <middleware/stage_support.hpp>

#include <stdexcept>
#include <thread>

namespace ferry::middleware {
namespace {

struct note {
    std::vector<int> attempts;
};

class Retry : public stage_test {
protected:
    /// A handler that fails the first `times` it is called, and a policy without jitter for it.
    void failing(int times, const std::function<void(exception_policy&)>& configure) {
        configure(policy);
        policy.seal();
        consume<order_placed>([this, times](const order_placed&, consume_context& context) {
            calls.push_back(context.attempt().retry);
            context.publish(parcel_sent{std::to_string(calls.size())});
            context.features().get_or_add<note>().attempts.push_back(context.attempt().retry);
            if (std::cmp_less_equal(calls.size(), times)) {
                throw std::runtime_error{"attempt " + std::to_string(calls.size())};
            }
        });
    }
    /// Runs the stage on another thread, and the clock as far as it waits.
    void run_through(int waits) {
        std::exception_ptr thrown;
        std::jthread slot{[&] {
            try {
                ended = &run_consumer(retry{policy, clock{time}, counters, log}, received());
            } catch (...) {
                thrown = std::current_exception();
            }
        }};
        for (; waits > 0; --waits) {
            waited.push_back(time.advance_to_next());
        }
        slot.join();
        if (thrown) {
            std::rethrow_exception(thrown);
        }
    }

    exception_policy policy;
    std::vector<int> calls;
    std::vector<duration> waited;
    consume_context* ended = nullptr;
};

TEST_F(Retry, runs_the_consumer_until_it_succeeds) { // B18 B32
    failing(2, [](exception_policy& on) { on.otherwise().retry({.attempts = 3, .jitter = 0}); });
    run_through(2);
    EXPECT_EQ(calls, (std::vector{0, 1, 2}));
    EXPECT_EQ(waited, (std::vector<duration>{200ms, 400ms}));
    EXPECT_EQ(counters.retries, 2U);
}

TEST_F(Retry, throws_the_last_failure_when_all_attempts_are_used_up) { // B18
    failing(99, [](exception_policy& on) { on.otherwise().retry({1s, 3s}); });
    try {
        run_through(2);
        FAIL() << "it should have thrown";
    } catch (const std::runtime_error& last) {
        EXPECT_STREQ(last.what(), "attempt 3");
    }
    EXPECT_EQ(waited, (std::vector<duration>{1s, 3s}));
}

TEST_F(Retry, gives_each_attempt_a_fresh_start) { // B33
    failing(2, [](exception_policy& on) { on.otherwise().retry({1s, 1s}); });
    run_through(2);
    EXPECT_EQ(ended->collected().all().size(), 1U) << "what failed attempts published is gone";
    EXPECT_EQ(ended->features().find<note>()->attempts, std::vector{2}) << "and what they noted";
}

TEST_F(Retry, keeps_what_was_there_before_the_first_attempt) { // B33
    failing(1, [](exception_policy& on) { on.otherwise().retry({1s}); });
    receive_context& message = received();
    consumer_run& run = *message.consumers().front();
    run.decode(message);
    run.context().publish(parcel_sent{"from outside"});
    struct outer {
        int value = 0;
    };
    run.context().features().get_or_add<outer>().value = 7;
    const pipeline<consume_context> stages{
        {{retry::key, retry{policy, clock{time}, counters, log}},
         {"handler", [](consume_context& each, next<consume_context>) { each.consumer().handler().handle(each); }}}};
    std::jthread slot{[&] { stages(run.context()); }};
    time.advance_to_next();
    slot.join();
    EXPECT_EQ(run.context().collected().all().size(), 2U);
    EXPECT_EQ(run.context().features().find<outer>()->value, 7);
}

TEST_F(Retry, follows_the_rule_of_each_exception_and_counts_attempts_together) { // B29
    policy.on<std::logic_error>().retry({1s, 2s, 3s});
    policy.on<std::runtime_error>().retry({10s, 20s});
    policy.seal();
    consume<order_placed>([this](const order_placed&, consume_context&) {
        calls.push_back(0);
        if (calls.size() == 1) {
            throw std::logic_error{"first"};
        }
        throw std::runtime_error{"then"};
    });
    EXPECT_THROW(run_through(2), std::runtime_error);
    EXPECT_EQ(waited, (std::vector<duration>{1s, 20s})) << "the second wait of the second rule";
    EXPECT_EQ(calls.size(), 3U);
}

TEST_F(Retry, does_not_try_again_without_a_rule) { // B17
    failing(1, [](exception_policy& on) { on.on<std::logic_error>().retry(3); });
    EXPECT_THROW(run_through(0), std::runtime_error);
    EXPECT_EQ(calls.size(), 1U);
}

TEST_F(Retry, gives_the_message_back_when_the_bus_stops_during_a_wait) { // B31
    failing(99, [](exception_policy& on) { on.otherwise().retry({1h}); });
    receive_context& message = received();
    std::jthread slot{[&] { run_consumer(retry{policy, clock{time}, counters, log}, message); }};
    time.await_waiters();
    stopping.request_stop();
    slot.join();
    EXPECT_EQ(message.settled(), settlement::returned);
    EXPECT_EQ(calls.size(), 1U);
}

TEST_F(Retry, is_absent_when_no_rule_retries) {
    consumer_settings settings;
    EXPECT_FALSE(retry::from(settings, clock{time}, counters, log));
    settings.policy.otherwise().redeliver();
    EXPECT_FALSE(retry::from(settings, clock{time}, counters, log));
    settings.policy.otherwise().retry();
    EXPECT_TRUE(retry::from(settings, clock{time}, counters, log));
}

} // namespace
} // namespace ferry::middleware
