#include <ferry/middleware/receive/circuit_breaker.hpp>
#include <ferry/middleware/receive/transport_circuit_breaker.hpp>

#include <gmock/gmock.h>
#include <middleware/stage_support.hpp>

#include <stdexcept>

namespace ferry::middleware {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class CircuitBreaker : public stage_test {
protected:
    [[nodiscard]] circuit_breaker stage() { return {endpoint, {control, clock{time}, counters, log}}; }

    void fail(const circuit_breaker& breaker, receive_context& message) {
        EXPECT_THROW(run(breaker, message,
                         [](receive_context& each) {
                             each.failures().push_back(
                                 {.thrown = std::make_exception_ptr(std::runtime_error{"down"}), .attempts = 1});
                             throw std::runtime_error{"down"};
                         }),
                     std::runtime_error);
    }
    /// A message that a handler has done its work on.
    void succeed(const auto& breaker) {
        run(breaker, received(), [](receive_context& each) { each.settle(settlement::handled); });
    }
    void open(const circuit_breaker& breaker) {
        for (int i = 0; i < 10; ++i) {
            fail(breaker, received());
        }
    }
};

TEST_F(CircuitBreaker, holds_the_endpoint_when_too_much_fails) { // B44 B46
    const circuit_breaker breaker = stage();
    open(breaker);
    EXPECT_THAT(control.held, ElementsAre(std::pair{"circuit_breaker", time.now() + 30s}));
    EXPECT_EQ(counters.breaks, 1U);
    EXPECT_THAT(lines, ElementsAre(HasSubstr("billing: circuit_breaker open: too many messages fail; paused for 30 s, "
                                             "then one is tried; the last failure was std::runtime_error: down")));
}

TEST_F(CircuitBreaker, gives_back_what_still_comes_while_it_is_open) { // B44
    const circuit_breaker breaker = stage();
    open(breaker);
    passed_on = 0;
    receive_context& message = received();
    run(breaker, message);
    EXPECT_EQ(passed_on, 0);
    EXPECT_EQ(message.settled(), settlement::returned);
}

TEST_F(CircuitBreaker, lets_go_when_the_test_succeeds) { // B44 B46
    const circuit_breaker breaker = stage();
    open(breaker);
    time.advance(30s);
    succeed(breaker);
    EXPECT_TRUE(control.held.empty());
    EXPECT_THAT(lines.back(), HasSubstr("billing: circuit_breaker closed"));
}

TEST_F(CircuitBreaker, holds_on_when_the_test_fails) { // B44
    const circuit_breaker breaker = stage();
    open(breaker);
    time.advance(30s);
    fail(breaker, received());
    EXPECT_THAT(control.held, ElementsAre(std::pair{"circuit_breaker", time.now() + 30s}));
    EXPECT_EQ(counters.breaks, 2U);
}

TEST_F(CircuitBreaker, does_not_count_what_cannot_be_read) { // B43
    const circuit_breaker breaker = stage();
    for (int i = 0; i < 20; ++i) {
        EXPECT_THROW(run(breaker, received(),
                         [](receive_context& each) {
                             each.failures().push_back(
                                 {.thrown = std::make_exception_ptr(std::runtime_error{"bad"}), .attempts = 0});
                             throw std::runtime_error{"bad"};
                         }),
                     std::runtime_error);
        EXPECT_THROW(run(breaker, received(packed_envelope::from_bytes("rubbish")),
                         [](receive_context& each) { std::rethrow_exception(each.damage()); }),
                     envelope_error);
    }
    EXPECT_TRUE(control.held.empty());
}

TEST_F(CircuitBreaker, does_not_count_what_a_policy_expects) {
    exception_policy policy;
    policy.on<std::runtime_error>().dead_letter();
    policy.on<std::exception>().discard();
    policy.otherwise().discard();
    const circuit_breaker breaker = stage();
    for (std::size_t i = 0; i < 30; ++i) {
        EXPECT_THROW(run(breaker, received(),
                         [&](receive_context& each) {
                             each.failures().push_back(
                                 {.thrown = std::make_exception_ptr(std::runtime_error{"seen before"}),
                                  .attempts = 1,
                                  .rule = &policy.rules()[i % 3]});
                             throw std::runtime_error{"seen before"};
                         }),
                     std::runtime_error);
    }
    EXPECT_TRUE(control.held.empty());
}

TEST_F(CircuitBreaker, counts_what_all_attempts_were_in_vain_for) {
    exception_policy policy;
    policy.otherwise().dead_letter();
    policy.on<std::exception>().retry();
    const circuit_breaker breaker = stage();
    for (std::size_t i = 0; i < 10; ++i) {
        EXPECT_THROW(run(breaker, received(),
                         [&](receive_context& each) {
                             each.failures().push_back({.thrown = std::make_exception_ptr(std::runtime_error{"down"}),
                                                        .attempts = 1,
                                                        .rule = &policy.rules()[i % 2]});
                             throw std::runtime_error{"down"};
                         }),
                     std::runtime_error);
    }
    EXPECT_FALSE(control.held.empty());
}

TEST_F(CircuitBreaker, tries_the_next_message_when_the_test_cannot_be_read) {
    const circuit_breaker breaker = stage();
    open(breaker);
    time.advance(30s);
    EXPECT_THROW(run(breaker, received(packed_envelope::from_bytes("rubbish")),
                     [](receive_context& each) { std::rethrow_exception(each.damage()); }),
                 envelope_error);
    passed_on = 0;
    succeed(breaker);
    EXPECT_EQ(passed_on, 1);
    EXPECT_TRUE(control.held.empty());
}

TEST_F(CircuitBreaker, learns_nothing_from_what_no_handler_has_worked_on) { // B44
    const circuit_breaker breaker = stage();
    open(breaker);
    time.advance(30s);
    for (const auto outcome : {std::optional{settlement::expired}, std::optional{settlement::returned},
                               std::optional<settlement>{} /* for nobody here */}) {
        run(breaker, received(), [&](receive_context& each) {
            if (outcome) {
                each.settle(*outcome);
            }
        });
        EXPECT_FALSE(control.held.empty());
    }
    succeed(breaker);
    EXPECT_TRUE(control.held.empty());
}

TEST_F(CircuitBreaker, remembers_what_opened_it_for_the_health_of_the_bus) { // B46
    open(stage());
    EXPECT_EQ(control.last_error, "std::runtime_error: down");
}

TEST_F(CircuitBreaker, is_absent_when_it_is_switched_off) {
    const endpoint_breaker::ports ports{control, clock{time}, counters, log};
    EXPECT_TRUE(circuit_breaker::from(endpoint, ports));
    EXPECT_TRUE(transport_circuit_breaker::from(endpoint, ports));
    endpoint.circuit_breaker.enabled = false;
    endpoint.transport_circuit_breaker.enabled = false;
    EXPECT_FALSE(circuit_breaker::from(endpoint, ports));
    EXPECT_FALSE(transport_circuit_breaker::from(endpoint, ports));
}

TEST_F(CircuitBreaker, of_the_transport_opens_at_a_tenth_of_what_leaves_the_pipeline) { // B49
    const transport_circuit_breaker breaker{endpoint, {control, clock{time}, counters, log}};
    for (int i = 0; i < 9; ++i) {
        run(breaker, received());
    }
    EXPECT_TRUE(control.held.empty());
    EXPECT_THROW(run(breaker, received(), [](receive_context&) { throw transport_error{"no connection"}; }),
                 transport_error);
    EXPECT_THAT(control.held, ElementsAre(std::pair{"transport_circuit_breaker", time.now() + 30s}));
}

} // namespace
} // namespace ferry::middleware
