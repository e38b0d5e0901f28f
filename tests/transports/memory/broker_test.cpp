#include "memory_fixture.hpp"

namespace ferry::testing {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class MemoryBroker : public memory_fixture {};

TEST_F(MemoryBroker, shows_what_waits_in_a_queue) {
    send_orders({"a", "b"});

    EXPECT_EQ(broker->depth("orders"), 2U);
    EXPECT_THAT(waiting(), ElementsAre("a", "b"));
    EXPECT_EQ(broker->messages("orders").front(), an_order("a"));
}

TEST_F(MemoryBroker, knows_its_queues) {
    EXPECT_TRUE(broker->has_queue("orders"));
    EXPECT_FALSE(broker->has_queue("others"));
}

TEST_F(MemoryBroker, purges_a_queue) {
    send_orders({"a", "b"});

    EXPECT_EQ(broker->purge("orders"), 2U);

    EXPECT_EQ(broker->depth("orders"), 0U);
}

TEST_F(MemoryBroker, names_a_queue_it_does_not_have) {
    EXPECT_THAT(error_of([&] { static_cast<void>(broker->depth("others")); }), HasSubstr("\"others\""));
    EXPECT_THAT(error_of([&] { static_cast<void>(broker->messages("others")); }), HasSubstr("\"others\""));
    EXPECT_THAT(error_of([&] { broker->purge("others"); }), HasSubstr("\"others\""));
}

TEST_F(MemoryBroker, refuses_options_that_make_no_sense) {
    using memory::broker_options;
    const auto error_with = [](const broker_options& options) { return error_of([&] { memory::broker{options}; }); };

    EXPECT_THAT(error_with({.max_queue_bytes = 0}), HasSubstr("max_queue_bytes"));
    EXPECT_THAT(error_with({.max_queue_messages = 0}), HasSubstr("max_queue_messages"));
    EXPECT_THAT(error_with({.send_timeout = {}}), HasSubstr("send_timeout"));
    EXPECT_EQ(error_with({.max_waiting_sends = 0}), "");
}

} // namespace ferry::testing
