#include "memory_fixture.hpp"

namespace ferry::testing {

using ::testing::HasSubstr;

class MemoryTransport : public memory_fixture {};

TEST_F(MemoryTransport, has_a_name) { EXPECT_EQ(transport.name(), "memory"); }

TEST_F(MemoryTransport, has_a_broker_of_its_own_with_the_clock_of_the_host) {
    memory::transport own;
    EXPECT_EQ(own.broker(), nullptr);
    own.start(host.lend());
    own.declare({.queues = {{.name = "mine"}}});
    envelope message = a_message_to(address::queue("mine"), "later");
    message.scheduled_at = time.now() + std::chrono::minutes{1};
    own.send(message, [](const send_outcome&) {});
    EXPECT_FALSE(broker->has_queue("mine"));

    accepting_sink sink;
    const auto consuming = own.consume("mine", {}, sink);
    time.advance(std::chrono::minutes{1});

    EXPECT_TRUE(sink.await(1));
    own.stop();
    EXPECT_EQ(own.broker(), nullptr);
}

TEST_F(MemoryTransport, can_be_moved_until_it_is_started) {
    memory::transport first{broker};
    memory::transport second{std::move(first)};

    second.start(host.lend());

    EXPECT_EQ(second.broker(), broker);
}

TEST_F(MemoryTransport, can_be_started_again) {
    transport.stop();
    transport.start(host.lend());

    EXPECT_EQ(send(an_order()).status, send_status::confirmed);
}

TEST_F(MemoryTransport, says_what_is_wrong_with_a_start) {
    EXPECT_THAT(error_of([&] { transport.start(host.lend()); }), HasSubstr("started already"));
    memory::transport without{std::shared_ptr<memory::broker>{}};
    EXPECT_THAT(error_of([&] { without.start(host.lend()); }), HasSubstr("no broker"));
}

} // namespace ferry::testing
