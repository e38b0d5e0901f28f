#include "memory_fixture.hpp"

namespace ferry::testing {

using ::testing::AllOf;
using ::testing::HasSubstr;

class MemoryDeclaring : public memory_fixture {
protected:
    [[nodiscard]] std::string error_with(const topology& wanted) {
        return error_of([&] { transport.declare(wanted); });
    }
};

TEST_F(MemoryDeclaring, names_queue_and_property_when_they_differ) { // B87
    EXPECT_THAT(error_with({.queues = {{.name = "orders", .temporary = true}}}),
                AllOf(HasSubstr("\"orders\""), HasSubstr("temporary")));
    EXPECT_THAT(error_with({.queues = {{.name = "orders", .dead_letters = "dead"}}}),
                AllOf(HasSubstr("\"orders\""), HasSubstr("dead_letters = \"dead\"")));
}

TEST_F(MemoryDeclaring, refuses_empty_names) {
    EXPECT_THAT(error_with({.queues = {{.name = ""}}}), HasSubstr("a queue needs a name"));
    EXPECT_THAT(error_with({.exchanges = {{.name = ""}}}), HasSubstr("an exchange needs a name"));
}

TEST_F(MemoryDeclaring, names_the_end_of_a_binding_that_is_missing) {
    EXPECT_THAT(error_with({.bindings = {{"events", address::queue("orders")}}}),
                HasSubstr("exchange:events is not declared"));
    EXPECT_THAT(error_with({.exchanges = {{.name = "events"}}, .bindings = {{"events", address::queue("others")}}}),
                HasSubstr("queue:others is not declared"));
    EXPECT_THAT(error_with({.exchanges = {{.name = "events"}}, .bindings = {{"events", {}}}}),
                HasSubstr("is not declared"));
}

TEST_F(MemoryDeclaring, changes_nothing_when_something_is_wrong) {
    EXPECT_NE(error_with({.queues = {{.name = "good"}, {.name = ""}}}), "");

    EXPECT_FALSE(broker->has_queue("good"));
}

TEST_F(MemoryDeclaring, survives_exchanges_that_are_bound_in_a_circle) {
    transport.declare({.exchanges = {{.name = "a"}, {.name = "b"}},
                       .bindings = {{"a", address::exchange("b")},
                                    {"b", address::exchange("a")},
                                    {"a", address::exchange("a")},
                                    {"b", address::queue("orders")}}});

    EXPECT_EQ(send(a_message_to(address::exchange("a"), "once")).status, send_status::confirmed);

    EXPECT_EQ(broker->depth("orders"), 1U);
}

TEST_F(MemoryDeclaring, adds_to_the_bindings_of_an_earlier_declaration) {
    transport.declare({.exchanges = {{.name = "events"}}});
    ASSERT_EQ(send(a_message_to(address::exchange("events"), "early")).status, send_status::unroutable);

    transport.declare({.bindings = {{"events", address::queue("orders")}}});

    EXPECT_EQ(send(a_message_to(address::exchange("events"), "heard")).status, send_status::confirmed);
}

TEST_F(MemoryDeclaring, forgets_the_bindings_of_a_temporary_queue_with_it) {
    memory::transport instance{broker};
    instance.start(host.lend());
    instance.declare({.queues = {{.name = "mine", .temporary = true}},
                      .exchanges = {{.name = "events"}},
                      .bindings = {{"events", address::queue("mine")}}});
    ASSERT_EQ(send(a_message_to(address::exchange("events"), "heard")).status, send_status::confirmed);

    instance.stop();

    EXPECT_FALSE(broker->has_queue("mine"));
    EXPECT_EQ(send(a_message_to(address::exchange("events"), "unheard")).status, send_status::unroutable);
}

} // namespace ferry::testing
