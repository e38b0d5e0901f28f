#include <ferry/amqp/transport.hpp>

#include <gtest/gtest.h>

namespace ferry::amqp {
namespace {

using namespace std::chrono_literals;

TEST(Transport, says_how_long_a_send_may_wait) {
    EXPECT_EQ((transport{"amqp://rabbit", {.send_timeout = 2min}}.send_timeout()), 2min);
}

} // namespace
} // namespace ferry::amqp
