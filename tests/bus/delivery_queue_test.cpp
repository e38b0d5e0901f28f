#include <delivery_queue.hpp>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <latch>
#include <thread>
#include <vector>

namespace ferry {
namespace {

/// Counts what comes back.
class counting_origin final : public delivery_origin {
public:
    void settle(delivered_message /*message*/, verdict outcome) noexcept override {
        ++(outcome == verdict::accept ? accepted : returned);
    }

    std::atomic<int> accepted{0};
    std::atomic<int> returned{0};
};

class DeliveryQueues : public testing::Test {
protected:
    void put(int count) {
        std::vector<delivery> all;
        for (int i = 0; i < count; ++i) {
            all.emplace_back(delivered_message{}, origin);
        }
        queue.put(all);
    }
    /// What a slot does, until the queue is closed.
    std::jthread slot(auto handle) {
        return std::jthread{[this, handle] {
            delivery_queue::slot_record record;
            while (std::optional<delivery> taken = queue.take(record)) {
                handle();
                std::move(*taken).accept();
            }
        }};
    }
    void await_accepted(int count) const {
        while (origin.accepted < count) {
            std::this_thread::yield();
        }
    }

    counting_origin origin;
    delivery_queue queue;
};

TEST_F(DeliveryQueues, hand_everything_to_some_slot) {
    constexpr int rounds = 2'000;
    constexpr int in_a_round = 7;
    std::vector<std::jthread> slots;
    for (int i = 0; i < 4; ++i) {
        slots.push_back(slot([] {}));
    }
    for (int i = 0; i < rounds; ++i) {
        put(in_a_round);
    }
    await_accepted(rounds * in_a_round);
    queue.close();
    slots.clear();
    EXPECT_EQ(origin.returned, 0);
}

TEST_F(DeliveryQueues, leave_nothing_behind_a_handler_that_was_quick_before) {
    std::latch slow_has_begun{1};
    std::promise<void> end;
    std::shared_future<void> ended = end.get_future().share();
    std::atomic<int> handled{0};
    constexpr int quick_ones = 1'000;
    const auto handle = [&] {
        if (handled++ == quick_ones) {
            slow_has_begun.count_down();
            ended.wait();
        }
    };
    std::vector<std::jthread> slots;
    slots.push_back(slot(handle));
    slots.push_back(slot(handle));
    put(quick_ones + 100);
    slow_has_begun.wait();
    put(100);
    await_accepted(quick_ones + 199); // all but the slow one, by the other slot
    end.set_value();
    await_accepted(quick_ones + 200);
    queue.close();
}

TEST_F(DeliveryQueues, use_every_slot_for_slow_handlers) {
    constexpr int count = 4;
    std::latch all_at_work{count};
    std::vector<std::jthread> slots;
    for (int i = 0; i < count; ++i) {
        slots.push_back(slot([&all_at_work] { all_at_work.arrive_and_wait(); }));
    }
    put(count);
    await_accepted(count); // which nobody reaches alone
    queue.close();
}

TEST_F(DeliveryQueues, let_slots_go_when_they_close_and_give_back_what_waits) {
    put(3);
    queue.close();
    EXPECT_EQ(origin.returned, 3);
    delivery_queue::slot_record record;
    EXPECT_FALSE(queue.take(record));
    put(2);
    EXPECT_EQ(origin.returned, 5);
}

} // namespace
} // namespace ferry
