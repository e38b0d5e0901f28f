#include <ferry/stack_traces.hpp>
#include <ferry/testing/harness.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>

namespace ferry {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct order_placed {
    std::string order_id;
};

[[noreturn, gnu::noinline]] void charge_the_card() { throw std::runtime_error{"declined"}; }
[[noreturn, gnu::noinline]] void print_the_invoice() { throw std::runtime_error{"jam"}; }

/// What `thrower` throws.
std::exception_ptr thrown_by(void (*thrower)()) {
    try {
        thrower();
    } catch (...) {
        return std::current_exception();
    }
    return nullptr;
}

class StackTraces : public ::testing::Test {
protected:
    StackTraces() { traces.watch_this_thread(true); }
    ~StackTraces() override { traces.watch_this_thread(false); }

    stack_trace_source& traces = captured_stack_traces();
};

TEST_F(StackTraces, show_where_an_exception_was_thrown) { // B37
    EXPECT_THAT(traces.trace_of(thrown_by(charge_the_card)), HasSubstr("charge_the_card"));
}

TEST_F(StackTraces, tell_several_exceptions_apart) {
    const std::exception_ptr first = thrown_by(charge_the_card);
    const std::exception_ptr second = thrown_by(print_the_invoice);
    EXPECT_THAT(traces.trace_of(first), HasSubstr("charge_the_card"));
    EXPECT_THAT(traces.trace_of(first), Not(HasSubstr("print_the_invoice")));
    EXPECT_THAT(traces.trace_of(second), HasSubstr("print_the_invoice"));
}

TEST_F(StackTraces, survive_being_thrown_again) {
    const std::exception_ptr first = thrown_by(charge_the_card);
    try {
        std::rethrow_exception(first);
    } catch (...) {
        EXPECT_THAT(traces.trace_of(std::current_exception()), HasSubstr("charge_the_card"));
    }
}

TEST_F(StackTraces, are_not_there_for_what_nobody_watched) {
    traces.watch_this_thread(false);
    EXPECT_EQ(traces.trace_of(thrown_by(charge_the_card)), "");
    EXPECT_EQ(traces.trace_of(nullptr), "");
    EXPECT_EQ(traces.trace_of(std::make_exception_ptr(17)), "");
}

TEST_F(StackTraces, belong_to_the_thread_that_threw) {
    traces.watch_this_thread(false);
    std::jthread{[&] {
        traces.watch_this_thread(true);
        EXPECT_THAT(traces.trace_of(thrown_by(charge_the_card)), HasSubstr("charge_the_card"));
    }}.join();
}

TEST_F(StackTraces, go_to_the_error_queue_with_the_message) { // B37
    testing::harness test{[](bus_builder& builder) {
        builder.stack_traces(captured_stack_traces());
        builder.handle<order_placed>([](const order_placed&) { charge_the_card(); });
    }};
    test.bus().publish(order_placed{"17"});
    const auto dead = test.dead_lettered<order_placed>().await().sightings();
    EXPECT_THAT(std::string{dead[0].envelope.headers.text("fault-stack-trace")}, HasSubstr("charge_the_card"));
}

} // namespace
} // namespace ferry
