#include <delivery_queue.hpp>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <latch>
#include <mutex>
#include <set>
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
    explicit DeliveryQueues(std::chrono::steady_clock::duration watch_for = std::chrono::milliseconds{1})
        : queue{watch_for} {}

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
            while (std::optional<delivery> taken = queue.take()) {
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

/// Shows who is woken, since a slot that keeps watch would take an hour to look by itself.
class PatientDeliveryQueues : public DeliveryQueues {
protected:
    PatientDeliveryQueues() : DeliveryQueues{std::chrono::hours{1}} {}
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

TEST_F(PatientDeliveryQueues, wake_a_slot_while_another_has_long_been_at_work) {
    std::latch long_one_has_begun{1};
    std::promise<void> end;
    std::atomic<int> begun{0};
    const auto handle = [&, ended = end.get_future().share()] {
        if (begun++ == 0) {
            long_one_has_begun.count_down();
            ended.wait();
        }
    };
    std::vector<std::jthread> slots;
    slots.push_back(slot(handle));
    slots.push_back(slot(handle));
    put(1);
    long_one_has_begun.wait();
    for (int i = 1; i <= 100; ++i) {
        put(1);
        await_accepted(i);
    }
    end.set_value();
    queue.close();
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

TEST_F(PatientDeliveryQueues, use_another_slot_when_quick_handlers_have_too_much_to_do) {
    using namespace std::chrono_literals;
    std::mutex mutex;
    std::set<std::thread::id> used;
    const auto handle = [&] {
        const auto end = std::chrono::steady_clock::now() + 20us;
        while (std::chrono::steady_clock::now() < end) {}
        const std::scoped_lock lock{mutex};
        used.insert(std::this_thread::get_id());
    };
    std::vector<std::jthread> slots;
    for (int i = 0; i < 4; ++i) {
        slots.push_back(slot(handle));
    }
    constexpr int many = 1'000;
    int put_so_far = 0;
    while ([&] {
        const std::scoped_lock lock{mutex};
        return used.size() < 4;
    }()) {
        put(many);
        put_so_far += many;
        await_accepted(put_so_far);
    }
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
    EXPECT_FALSE(queue.take());
    put(2);
    EXPECT_EQ(origin.returned, 5);
}

} // namespace
} // namespace ferry
