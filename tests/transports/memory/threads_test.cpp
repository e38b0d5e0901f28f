#include "memory_fixture.hpp"

#include <atomic>
#include <thread>

namespace ferry::testing {

namespace {

/// Accepts most of what it gets and gives the rest back one way or another.
class moody_sink final : public delivery_sink {
public:
    explicit moody_sink(watched<std::vector<int>>& accepted) : accepted_{accepted} {}

    void deliver(std::span<delivery> deliveries) override {
        for (delivery& each : deliveries) {
            settle(std::move(each));
        }
    }

private:
    void settle(delivery each) {
        switch (turn_.fetch_add(1) % 7) {
        case 0:
            return std::move(each).requeue();
        case 1:
            return std::move(each).reject();
        case 2:
            return; // dropped
        default:
            break;
        }
        const auto number = static_cast<std::size_t>(std::stoi(body_of(each)));
        std::move(each).accept();
        accepted_.change([&](auto& counts) { ++counts[number]; });
    }

    watched<std::vector<int>>& accepted_;
    std::atomic<unsigned> turn_ = 0;
};

} // namespace

class MemoryThreads : public memory_fixture {
protected:
    MemoryThreads() : memory_fixture{{.max_queue_messages = 50, .max_waiting_sends = 3'000}} {}
};

TEST_F(MemoryThreads, lose_nothing_and_double_nothing_while_subscriptions_come_and_go) { // B93
    constexpr int threads = 3;
    constexpr int each_sends = 1'000;
    watched<std::vector<int>> accepted{std::vector<int>(threads * each_sends)};
    std::atomic<int> failed = 0;
    const auto send_some = [&](int thread) {
        for (int i = 0; i < each_sends; ++i) {
            transport.send(an_order(std::to_string(thread * each_sends + i)), [&](const send_outcome& outcome) {
                failed += outcome.status == send_status::confirmed ? 0 : 1;
            });
        }
    };
    const auto come_and_go = [&](const std::stop_token& stop) {
        moody_sink sink{accepted};
        while (!stop.stop_requested()) {
            const auto consuming = transport.consume("orders", {.prefetch = 3}, sink);
            consuming->pause();
            consuming->resume();
        }
    };

    moody_sink sink{accepted};
    const auto consuming = transport.consume("orders", {.prefetch = 5}, sink);
    std::jthread passer_by{come_and_go};
    {
        std::vector<std::jthread> senders;
        for (int thread = 0; thread < threads; ++thread) {
            senders.emplace_back(send_some, thread);
        }
    }

    EXPECT_TRUE(accepted.eventually([](const auto& counts) { return std::ranges::all_of(counts, std::identity{}); }));
    passer_by.request_stop();
    passer_by.join();
    EXPECT_EQ(failed, 0);
    EXPECT_THAT(accepted.get(), ::testing::Each(1));
}

} // namespace ferry::testing
