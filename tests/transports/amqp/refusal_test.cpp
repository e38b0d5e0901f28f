#include "refusal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ferry::amqp {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Refusal, is_what_somebody_has_to_change) { // B86 B87
    for (const char* answer : {"PRECONDITION_FAILED - inequivalent arg 'x-queue-type'", "NOT_FOUND - no queue 'a'",
                               "ACCESS_REFUSED - access to queue 'a' refused", "RESOURCE_LOCKED - exclusive"}) {
        EXPECT_TRUE(is_refusal(answer)) << answer;
        EXPECT_TRUE(is_permanent(answer)) << answer;
    }
    EXPECT_FALSE(is_refusal("INTERNAL_ERROR - something"));
    EXPECT_FALSE(is_permanent("INTERNAL_ERROR - something"));
}

TEST(Refusal, of_a_queue_whose_node_is_gone_ends_when_it_is_back) { // B84 B86
    const char* const answer =
        "NOT_FOUND - home node 'rabbit@b' of durable queue 'billing' in vhost '/' is down or inaccessible";
    EXPECT_TRUE(is_refusal(answer));
    EXPECT_FALSE(is_permanent(answer));
    EXPECT_THAT(advice(answer), HasSubstr("bring the node back"));
    EXPECT_THAT(advice(answer), Not(HasSubstr("created first")));
}

TEST(Refusal, says_what_to_do) { // B87
    EXPECT_THAT(advice("NOT_FOUND - no queue 'a'"), HasSubstr("has to be created first"));
    EXPECT_THAT(advice("PRECONDITION_FAILED - inequivalent arg"), HasSubstr("with other properties"));
    EXPECT_THAT(advice("ACCESS_REFUSED - read access to queue 'a' refused for user 'b'"), HasSubstr("the right to it"));
    EXPECT_THAT(advice("ACCESS_REFUSED - queue 'a' in vhost '/' in exclusive use"), HasSubstr("another consumer"));
    EXPECT_EQ(advice("INTERNAL_ERROR"), "");
}

TEST(Refusal, is_told_from_other_failures) {
    EXPECT_TRUE(is_refusal(std::make_exception_ptr(refusal{"no"})));
    EXPECT_FALSE(is_refusal(std::make_exception_ptr(transport_error{"no answer in time"})));
}

} // namespace
} // namespace ferry::amqp
