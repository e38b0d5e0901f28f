#include <ferry/error.hpp>
#include <ferry/headers.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace ferry {
namespace {

TEST(Headers, keep_the_order_they_were_set_in) {
    headers all;
    all.set("b", 1);
    all.set("a", "two");
    all.set("b", 3);

    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all.begin()[0], (header{"b", 3}));
    EXPECT_EQ(all.begin()[1], (header{"a", "two"}));
}

TEST(Headers, keep_the_type_of_their_values) {
    const headers all{{"flag", true}, {"count", 7}, {"ratio", 0.5}, {"text", "t"}, {"nothing", header_value{}}};
    EXPECT_EQ(*all.find("flag")->as<bool>(), true);
    EXPECT_EQ(*all.find("count")->as<std::int64_t>(), 7);
    EXPECT_EQ(*all.find("ratio")->as<double>(), 0.5);
    EXPECT_EQ(*all.find("text")->as<std::string>(), "t");
    EXPECT_NE(all.find("nothing")->as<std::monostate>(), nullptr);
    EXPECT_EQ(all.find("count")->as<std::string>(), nullptr);
}

TEST(Headers, refuse_a_number_beyond_what_they_hold) {
    headers all;
    all.set("most", std::uint64_t{9223372036854775807U});
    EXPECT_EQ(*all.find("most")->as<std::int64_t>(), std::numeric_limits<std::int64_t>::max());
    all.set("least", std::numeric_limits<std::int64_t>::min());
    EXPECT_EQ(*all.find("least")->as<std::int64_t>(), std::numeric_limits<std::int64_t>::min());

    EXPECT_THROW(all.set("beyond", 9223372036854775808U), error);
    EXPECT_THROW(all.set("far beyond", 18446744073709551615U), error);
    EXPECT_FALSE(all.contains("beyond"));
}

TEST(Headers, find_nothing_under_an_unknown_name) {
    const headers all{{"count", 7}};
    EXPECT_EQ(all.find("size"), nullptr);
    EXPECT_EQ(all.text("size"), "");
    EXPECT_EQ(all.text("count"), "") << "a number is no text";
}

TEST(Headers, forget_what_is_erased) {
    headers all{{"a", 1}, {"b", 2}, {"c", 3}};
    all.erase("b");
    all.erase("unknown");
    EXPECT_EQ(all, (headers{{"a", 1}, {"c", 3}}));
}

TEST(Headers, show_nothing_of_an_earlier_use_after_clearing) {
    headers all{{"a", 1}, {"b", "text"}};
    all.clear();
    EXPECT_TRUE(all.empty());
    EXPECT_EQ(all.find("a"), nullptr);
    all.set("c", true);
    EXPECT_EQ(all, (headers{{"c", true}}));
}

TEST(Headers, copy_and_move_without_sharing) {
    headers all{{"a", 1}};
    headers copy = all;
    copy.set("a", 2);
    EXPECT_EQ(all, (headers{{"a", 1}}));
    headers moved = std::move(copy);
    EXPECT_EQ(moved, (headers{{"a", 2}}));
    moved = all;
    EXPECT_EQ(moved, all);
}

} // namespace
} // namespace ferry
