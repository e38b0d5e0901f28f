#include "../note_taker.hpp"
#include "stored_shop.hpp"

namespace ferry::scenarios {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;

class ObserversOfAStore : public stored_shop {
protected:
    [[nodiscard]] std::unique_ptr<bus_builder> observed_service(const std::string& name) {
        auto builder = service(name);
        builder->concurrency_limit(1).observe(std::make_shared<note_taker>(notes));
        return builder;
    }
    [[nodiscard]] bool hear(const std::string& wanted) {
        return notes.eventually_contains([&](const std::string& line) { return line == wanted; });
    }

    record<std::string> notes;
};

TEST_F(ObserversOfAStore, hear_of_the_row_and_of_the_relay_that_sends_it) { // B97
    auto builder = observed_service("billing");
    builder->handle<order_placed>([](const order_placed&) {});
    const auto billing = started(*builder);
    billing->publish(order_placed{"17"});
    ASSERT_TRUE(hear("relay of 1 ends"));
    ASSERT_TRUE(hear("delivery of order-placed ends"));
    EXPECT_THAT(notes.all(), AllOf(IsSupersetOf({"dispatch of order-placed begins", "dispatch of order-placed ends",
                                                 "relay of 1 begins", "relay of 1 includes order-placed"}),
                                   Not(Contains(HasSubstr("fails")))));
}

TEST_F(ObserversOfAStore, may_write_headers_that_are_kept_with_the_row) { // B97
    record<std::string> seen;
    auto builder = observed_service("billing");
    builder->handle<order_placed>(
        [&](const order_placed&, consume_context& context) { seen.add(std::string{context.headers().text("seen")}); });
    const auto billing = started(*builder);
    billing->publish(order_placed{"17"});
    (void)billing->schedule_publish(order_placed{"18"}, 1ms);
    ASSERT_TRUE(seen.reaches(2));
    EXPECT_THAT(seen.all(), ::testing::Each("by the observer"));
}

TEST_F(ObserversOfAStore, hear_of_the_commit_that_several_messages_share) { // B97
    auto builder = observed_service("billing");
    builder->endpoint("billing.order-placed", [](endpoint_builder& endpoint) {
        endpoint.group_commit(8).handle<order_placed>([](const order_placed&) {});
    });
    const auto billing = started(*builder); // so that the queue is there
    billing->stop();
    for (int i = 0; i < 4; ++i) {
        inject("billing.order-placed", order(R"({"order_id":"17"})"));
    }
    auto again = observed_service("billing");
    again->endpoint("billing.order-placed", [](endpoint_builder& endpoint) {
        endpoint.group_commit(8).handle<order_placed>([](const order_placed&) {});
    });
    const auto restarted = started(*again);
    ASSERT_TRUE(notes.eventually_contains(
        [](const std::string& line) { return line.starts_with("commit of ") && line.ends_with(" ends"); }));
    EXPECT_THAT(notes.all(), Contains(HasSubstr(" at billing.order-placed includes order-placed")));
}

TEST_F(ObserversOfAStore, hear_of_a_duplicate) { // B98
    auto builder = observed_service("billing");
    builder->handle<order_placed>([](const order_placed&) {});
    const auto billing = started(*builder);
    envelope raw = order(R"({"order_id":"17"})");
    raw.message_id = id_source{17}.next(time_point{1s});
    inject("billing.order-placed", raw);
    inject("billing.order-placed", raw);
    ASSERT_TRUE(hear("attempt of order-placed duplicate"));
    EXPECT_EQ(std::ranges::count(notes.all(), "attempt of order-placed duplicate"), 1);
}

} // namespace
} // namespace ferry::scenarios
