#include <boost/asio/post.hpp>
#include <completion_queue.hpp>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <latch>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace ferry {
namespace {

using namespace std::chrono_literals;

constexpr auto hardly_ever = 1h; // a moment that never ends by itself in a test

TEST(CompletionQueue, runs_what_is_posted_in_its_order) {
    std::string seen;
    {
        completion_queue queue;
        for (const char each : {'a', 'b', 'c'}) {
            boost::asio::post(queue.executor(), [&seen, each] { seen += each; });
        }
    }
    EXPECT_EQ(seen, "abc");
}

TEST(CompletionQueue, runs_what_its_own_work_adds_before_it_ends) {
    int rounds = 0;
    completion_queue queue;
    const std::function<void()> again = [&] {
        if (++rounds < 100) {
            queue.add(again);
        }
    };
    queue.add(again);
    queue.join();
    EXPECT_EQ(rounds, 100);
}

TEST(CompletionQueue, tells_at_once_of_the_only_operation_there_is) {
    completion_queue queue{hardly_ever};
    for (int i = 0; i < 100; ++i) {
        std::latch told{1};
        queue.begin_operation();
        queue.end_operation([&] { told.count_down(); });
        told.wait();
    }
}

TEST(CompletionQueue, tells_of_all_in_the_end_without_waiting_for_a_moment_to_be_over) {
    constexpr int count = 1'000;
    completion_queue queue{hardly_ever};
    std::latch all_told{count};
    for (int i = 0; i < count; ++i) {
        queue.begin_operation();
    }
    for (int i = 0; i < count; ++i) {
        queue.end_operation([&] { all_told.count_down(); });
    }
    all_told.wait();
}

TEST(CompletionQueue, tells_after_a_moment_of_what_is_less) {
    completion_queue queue{1ms};
    std::latch told{2};
    for (int i = 0; i < 1'000; ++i) {
        queue.begin_operation();
    }
    for (int i = 0; i < 2; ++i) {
        queue.end_operation([&] { told.count_down(); });
    }
    told.wait();
}

TEST(CompletionQueue, does_not_let_posted_work_wait_for_operations) {
    completion_queue queue{hardly_ever};
    for (int i = 0; i < 1'000; ++i) {
        queue.begin_operation();
    }
    for (int i = 0; i < 100; ++i) {
        std::latch done{1};
        queue.add([&] { done.count_down(); });
        done.wait();
    }
}

TEST(CompletionQueue, loses_nothing_of_many_threads) {
    constexpr int threads = 4;
    constexpr int each = 5'000;
    std::atomic<int> told{0};
    {
        completion_queue queue;
        std::vector<std::jthread> senders;
        for (int t = 0; t < threads; ++t) {
            senders.emplace_back([&] {
                for (int i = 0; i < each; ++i) {
                    queue.begin_operation();
                    queue.end_operation([&] { ++told; });
                }
            });
        }
    }
    EXPECT_EQ(told, threads * each);
}

TEST(CompletionQueue, logs_what_its_work_throws_and_goes_on) {
    std::vector<std::string> lines;
    bool went_on = false;
    {
        completion_queue queue{[&](log_level, std::string_view line) { lines.emplace_back(line); }};
        queue.add([] { throw std::runtime_error{"no more"}; });
        queue.add([] { throw 42; });
        queue.add([&] { went_on = true; });
    }
    EXPECT_TRUE(went_on);
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_EQ(lines[0], "a completion handler threw std::runtime_error: no more; nobody hears of that, so catch it "
                        "inside the handler");
}

TEST(CompletionQueue, lets_go_of_what_it_has_run) {
    completion_queue queue;
    const auto held = std::make_shared<int>(1);
    std::latch done{1};
    std::latch looked_at{1};
    queue.add([&, held] { done.wait(); });
    queue.add([&] { looked_at.wait(); });
    done.count_down();
    while (held.use_count() > 1) {
        std::this_thread::yield();
    }
    looked_at.count_down();
}

} // namespace
} // namespace ferry
