#include <ferry/settings.hpp>

#include <gtest/gtest.h>

namespace ferry {
namespace {

using namespace std::chrono_literals;

TEST(EndpointOptions, take_each_value_from_the_narrowest_scope_that_sets_it) {
    const endpoint_options bus{.concurrency = 10, .prefetch = 100};
    const endpoint_options transport{.concurrency = 5};
    const endpoint_options endpoint{.recovery = backoff_options{.base_delay = 1s}};

    const endpoint_options all = endpoint.over(transport).over(bus);

    EXPECT_EQ(all.concurrency, 5U);
    EXPECT_EQ(all.prefetch, 100U);
    EXPECT_EQ(all.recovery->base_delay, 1s);
}

TEST(BackoffOptions, double_from_the_base_to_the_cap) {
    const backoff_options backoff{.base_delay = 200ms, .max_delay = 1s};
    EXPECT_EQ(backoff.delay(0), 200ms);
    EXPECT_EQ(backoff.delay(1), 400ms);
    EXPECT_EQ(backoff.delay(2), 800ms);
    EXPECT_EQ(backoff.delay(3), 1s);
    EXPECT_EQ(backoff.delay(1'000'000), 1s);
}

TEST(BackoffOptions, stay_at_zero_when_the_base_is_zero) {
    EXPECT_EQ((backoff_options{.base_delay = 0s, .max_delay = 1s}.delay(50)), 0s);
}

} // namespace
} // namespace ferry
