#include "json_support.hpp"

namespace ferry::testing {
namespace {

struct bare_tree {
    std::vector<bare_tree> children;
};

constexpr json_policy shallow{.max_depth = 3};
constexpr json_policy small{.max_size = 20};

bare_tree a_chain(int length) {
    bare_tree root;
    for (int i = 1; i < length; ++i) {
        bare_tree outer;
        outer.children.push_back(std::move(root));
        root = std::move(outer);
    }
    return root;
}

template <typename Message, json_policy Policy> std::string write_problem_within(const Message& message) {
    buffer out;
    try {
        json_codec<Message, Policy>{}.encode(&message, out);
    } catch (const encode_error& problem) {
        return problem.what();
    }
    return "no problem";
}

TEST(JsonLimits, depth_ends_at_64_levels_unless_told_otherwise) {
    const std::string deep = to_json(a_chain(32)); // each has an object and an array
    EXPECT_EQ(problem<bare_tree>(deep), "no problem");
    EXPECT_THAT(write_problem(a_chain(33)),
                ::testing::EndsWith("the message is nested deeper than the limit of 64 levels"));
}

TEST(JsonLimits, depth_counts_when_reading) {
    EXPECT_EQ((problem<bare_tree, shallow>(R"({"children":[{}]})")), "no problem");
    EXPECT_EQ((problem<bare_tree, shallow>(R"({"children":[{"children":[]}]})")),
              "children[0].children: the message is nested deeper than the limit of 3 levels");
}

TEST(JsonLimits, depth_counts_in_skipped_parts) {
    EXPECT_EQ((problem<bare_tree, shallow>(R"({"x":[[[]]]})")),
              "{0}[0][0]: the message is nested deeper than the limit of 3 levels");
    EXPECT_NE(problem<bare_tree>("{\"x\":" + std::string(100'000, '[') + std::string(100'000, ']') + "}"),
              "no problem");
}

TEST(JsonLimits, depth_counts_when_writing) {
    EXPECT_EQ((write_problem_within<bare_tree, shallow>(a_chain(2))),
              "children[0].children: the message is nested deeper than the limit of 3 levels");
}

TEST(JsonLimits, size_counts_when_reading) {
    EXPECT_EQ((problem<box<std::string>, small>(R"({"value":"123456"})")), "no problem");
    EXPECT_EQ((problem<box<std::string>, small>(R"({"value":"123456789"})")),
              "the body has 21 bytes, more than the limit of 20");
    EXPECT_EQ(problem<box<std::string>>(std::string(16 * 1024 * 1024 + 1, ' ')),
              "the body has 16777217 bytes, more than the limit of 16777216");
}

TEST(JsonLimits, size_counts_when_writing) {
    EXPECT_EQ((write_problem_within<box<std::string>, small>({"123456789"})),
              "the message takes 21 bytes as JSON, more than the limit of 20");
}

TEST(JsonLimits, large_messages_survive) {
    expect_round_trip(std::vector<std::string>(20'000, "a text of some length, to fill the buffer quickly"));
}

} // namespace
} // namespace ferry::testing
