#include "json_support.hpp"
#include "shop.hpp"

#include <atomic>
#include <thread>

namespace ferry::testing {
namespace {

TEST(JsonThreads, share_one_codec) {
    const json_codec<shop::order> codec;
    std::atomic<int> wrong{0};
    const auto work = [&](const std::string& customer) {
        shop::order message;
        const shop::order sent{.customer = customer, .lines = {{"rope", 1, 2.5}}};
        for (int round = 0; round < 500; ++round) {
            buffer body;
            codec.encode(&sent, body);
            codec.decode(body, &message);
            wrong += message == sent ? 0 : 1;
        }
    };
    {
        std::jthread first{work, "Ada"};
        std::jthread second{work, "Grace, whose name is longer than what a string keeps inside"};
    }
    EXPECT_EQ(wrong, 0);
}

TEST(JsonReader, may_be_used_while_another_one_reads) {
    const buffer body{R"({"a":1,"b":2})"};
    json_reader outer{body};
    outer.begin_object();
    ASSERT_TRUE(outer.next_field());
    EXPECT_EQ(from_json<shop::line>(R"({"article":"rope"})").article, "rope");
    EXPECT_EQ(outer.read_signed(0, 9), 1);
    ASSERT_TRUE(outer.next_field());
    EXPECT_EQ(outer.key(), "b");
}

TEST(JsonReader, works_again_after_a_failure) {
    EXPECT_NE(problem<shop::line>("{"), "no problem");
    EXPECT_NE(problem<shop::line>("{\"article\":\"\xff\"}"), "no problem");
    EXPECT_EQ(from_json<shop::line>(R"({"article":"rope"})").article, "rope");
}

} // namespace
} // namespace ferry::testing
