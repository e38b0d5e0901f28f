#include <ferry/time.hpp>

#include <gtest/gtest.h>

namespace ferry {
namespace {

using namespace std::chrono_literals;

constexpr time_point twelve{12h};

TEST(Later, is_that_long_after) {
    EXPECT_EQ(later(twelve, 1h), time_point{13h});
    EXPECT_EQ(later(twelve, 0s), twelve);
    EXPECT_EQ(later(twelve, -1h), time_point{11h});
}

TEST(Later, ends_with_the_last_moment_there_is) {
    EXPECT_EQ(later(twelve, duration::max()), time_point::max());
    EXPECT_EQ(later(time_point::max(), 1ns), time_point::max());
    EXPECT_EQ(later(time_point::max() - 1ns, 1ns), time_point::max());
}

} // namespace
} // namespace ferry
