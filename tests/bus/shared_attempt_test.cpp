#include "shared_attempt.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

namespace ferry {
namespace {

TEST(SharedAttempt, succeeds_once) {
    shared_attempt attempt;
    int tries = 0;
    for (int i = 0; i < 3; ++i) {
        attempt.make_sure([&] { ++tries; });
    }
    EXPECT_EQ(tries, 1);
}

TEST(SharedAttempt, is_made_again_after_a_failure) {
    shared_attempt attempt;
    int tries = 0;
    const auto fail_once = [&] {
        if (++tries == 1) {
            throw std::runtime_error{"not yet"};
        }
    };
    EXPECT_THROW(attempt.make_sure(fail_once), std::runtime_error);
    EXPECT_NO_THROW(attempt.make_sure(fail_once));
    EXPECT_NO_THROW(attempt.make_sure(fail_once));
    EXPECT_EQ(tries, 2);
}

TEST(SharedAttempt, is_made_by_one_thread_at_a_time) {
    shared_attempt attempt;
    std::atomic<int> trying = 0;
    std::atomic<int> tries = 0;
    std::atomic<int> failures = 0;
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
        threads.emplace_back([&] {
            try {
                attempt.make_sure([&] {
                    EXPECT_EQ(++trying, 1);
                    std::this_thread::yield();
                    --trying;
                    if (++tries <= 3) {
                        throw std::runtime_error{"not yet"};
                    }
                });
            } catch (const std::runtime_error&) {
                ++failures;
            }
        });
    }
    threads.clear();
    EXPECT_LE(tries, 4) << "nobody tries again what has succeeded";
    EXPECT_GE(failures, std::min(tries.load(), 3)) << "whoever tried in vain was told, and so were those who waited";
}

} // namespace
} // namespace ferry
