#include "memory_fixture.hpp"

#include <atomic>
#include <functional>
#include <latch>
#include <thread>

namespace ferry::testing {
namespace {

using ::testing::ElementsAre;

/// Stays inside its first delivery until the test opens the gate.
class gated_sink final : public delivery_sink {
public:
    void deliver(std::span<delivery> deliveries) override {
        inside.count_down();
        gate.wait();
        for (delivery& each : deliveries) {
            std::move(each).accept();
        }
        left = true;
    }

    std::latch inside{1};
    std::latch gate{1};
    std::atomic<bool> left = false;
};

/// Ends its own subscription from inside a delivery.
class quitting_sink final : public delivery_sink {
public:
    void deliver(std::span<delivery> deliveries) override {
        ++calls;
        for (delivery& each : deliveries) {
            std::move(each).accept();
        }
        own.reset();
    }

    int calls = 0;
    std::unique_ptr<subscription> own;
};

class MemorySubscription : public memory_fixture {
protected:
    /// Runs `end` while another thread is inside the sink, and expects it to wait for that.
    void expect_to_wait_for_the_sink(const std::function<void(std::unique_ptr<subscription>&)>& end) {
        gated_sink sink;
        auto consuming = transport.consume("orders", {}, sink);
        std::jthread sender{[&] { send_orders({"a"}); }};
        sink.inside.wait();
        bool had_left = false;
        std::jthread ender{[&] {
            end(consuming);
            had_left = sink.left;
        }};
        sink.gate.count_down();
        ender.join();
        EXPECT_TRUE(had_left);
    }
};

TEST_F(MemorySubscription, waits_for_a_running_sink_when_it_ends) {
    expect_to_wait_for_the_sink([](auto& consuming) { consuming.reset(); });
}

TEST_F(MemorySubscription, waits_for_a_running_sink_when_it_pauses) {
    expect_to_wait_for_the_sink([](auto& consuming) { consuming->pause(); });
}

TEST_F(MemorySubscription, waits_for_a_running_sink_when_the_transport_stops) {
    memory::transport other{broker};
    other.start(host.lend());
    gated_sink sink;
    const auto consuming = other.consume("orders", {}, sink);
    std::jthread sender{[&] { send_orders({"a"}); }};
    sink.inside.wait();
    std::jthread opener{[&] { sink.gate.count_down(); }};

    other.stop();

    EXPECT_TRUE(sink.left);
}

TEST_F(MemorySubscription, can_end_inside_its_own_sink) {
    quitting_sink sink;
    sink.own = transport.consume("orders", {}, sink);

    send_orders({"a", "b"});

    EXPECT_EQ(sink.calls, 1);
    EXPECT_THAT(waiting(), ElementsAre("b"));
}

TEST_F(MemorySubscription, stays_quiet_after_the_transport_has_stopped) {
    memory::transport other{broker};
    other.start(host.lend());
    holding_sink sink;
    const auto consuming = other.consume("orders", {}, sink);
    other.stop();

    send_orders({"a"});
    consuming->pause();
    consuming->resume();

    EXPECT_EQ(sink.size(), 0U);
}

TEST_F(MemorySubscription, can_be_paused_and_resumed_more_than_once) {
    accepting_sink sink;
    const auto consuming = transport.consume("orders", {}, sink);
    consuming->pause();
    consuming->pause();
    send_orders({"a"});
    EXPECT_EQ(broker->depth("orders"), 1U);

    consuming->resume();
    consuming->resume();

    EXPECT_THAT(sink.bodies(), ElementsAre("a"));
}

TEST_F(MemorySubscription, needs_a_prefetch) {
    holding_sink sink;

    EXPECT_THAT(error_of([&] { static_cast<void>(transport.consume("orders", {.prefetch = 0}, sink)); }),
                ::testing::HasSubstr("prefetch"));
}

} // namespace
} // namespace ferry::testing
