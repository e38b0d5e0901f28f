#include "json_support.hpp"

#include <deque>
#include <list>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace ferry::testing {
namespace {

enum class size { small, large };

struct tree {
    int value = 0;
    std::vector<tree> children;

    friend bool operator==(const tree&, const tree&) = default;
};

TEST(JsonContainers, sequences_are_arrays) {
    EXPECT_EQ(written(std::vector{1, 2, 3}), "[1,2,3]");
    EXPECT_EQ(written(std::vector<int>{}), "[]");
    expect_round_trip(std::vector<std::string>{"a", "", "c"});
    expect_round_trip(std::deque{1.5, 2.5});
    expect_round_trip(std::list<bool>{true, false});
    expect_round_trip(std::vector<std::vector<int>>{{}, {1}, {2, 3}});
    expect_round_trip(std::vector<std::uint8_t>{1, 2});
}

TEST(JsonContainers, bits_are_booleans) {
    EXPECT_EQ(written(std::vector<bool>{true, false}), "[true,false]");
    expect_round_trip(std::vector<bool>{true, false, true});
}

TEST(JsonContainers, arrays_have_their_exact_length) {
    expect_round_trip(std::array{1, 2, 3});
    EXPECT_EQ((value_problem<std::array<int, 3>>("[1,2]")), "value: expected an array of exactly 3 elements");
    EXPECT_EQ((value_problem<std::array<int, 1>>("[1,2]")), "value[1]: expected an array of exactly 1 elements");
    EXPECT_EQ((value_problem<std::array<int, 1>>("{}")), "value: expected an array, found an object");
}

TEST(JsonContainers, pairs_and_tuples_are_arrays) {
    EXPECT_EQ(written(std::pair{1, std::string{"a"}}), R"([1,"a"])");
    expect_round_trip(std::tuple{1, std::string{"a"}, 2.5});
    EXPECT_EQ((value_problem<std::pair<int, int>>("[1]")), "value: expected an array of exactly 2 elements");
    EXPECT_EQ((value_problem<std::pair<int, int>>("[1,2,3]")), "value[2]: expected an array of exactly 2 elements");
    EXPECT_EQ((value_problem<std::tuple<int, bool>>("[1,2]")), "value[1]: expected true or false, found a number");
}

TEST(JsonContainers, sets_are_arrays) {
    EXPECT_EQ(written(std::set<std::string>{"b", "a"}), R"(["a","b"])");
    expect_round_trip(std::set{3, 1});
    expect_round_trip(std::unordered_set{3, 1});
}

TEST(JsonContainers, maps_are_objects_whatever_their_keys) {
    EXPECT_EQ(written(std::map<std::string, int>{{"eur", 1}, {"u\"sd", 2}}), R"({"eur":1,"u\"sd":2})");
    EXPECT_EQ(written(std::map<int, bool>{{-5, true}}), R"({"-5":true})");
    EXPECT_EQ(written(std::map<size, int>{{size::large, 1}}), R"({"large":1})");
    expect_round_trip(std::map<std::string, int>{{"eur", 1}, {"u\"sd\n", 2}, {"", 3}});
    expect_round_trip(
        std::unordered_map<uuid, std::string>{{*uuid::parse("0193361c-7a1e-7c62-9d3b-5f0c2ab6d9e1"), "x"}});
    expect_round_trip(std::map<std::uint64_t, std::vector<int>>{{18446744073709551615ULL, {1}}});
    expect_round_trip(std::map<size, std::map<std::string, double>>{{size::small, {{"a", 1.5}}}});
}

TEST(JsonContainers, keys_are_checked_like_values) {
    EXPECT_EQ((value_problem<std::map<int, int>>(R"({"x":1})")),
              "value{0}: expected a whole number as key, found other text");
    EXPECT_EQ((value_problem<std::map<std::uint8_t, int>>(R"({"256":1})")),
              "value{0}: expected a whole number as key, found other text");
    EXPECT_EQ((value_problem<std::map<uuid, int>>(R"({"x":1})")), "value{0}: expected a UUID as key, found other text");
    EXPECT_EQ((value_problem<std::map<size, int>>(R"({"x":1})")),
              R"(value{0}: expected one of "small", "large", found other text)");
    EXPECT_EQ((write_problem(box<std::map<std::string, int>>{{{"\xff", 1}}})), "value{0}: the text is not valid UTF-8");
}

TEST(JsonContainers, an_entry_of_a_map_is_told_by_its_position) {
    using prices = std::map<std::string, bool>;
    EXPECT_EQ(value_problem<prices>(R"({"a":true,"b":1})"), "value{1}: expected true or false, found a number");
    EXPECT_EQ((value_problem<std::map<std::string, shop::line>>(R"({"a":{},"b":{"price":true}})")),
              "value{1}.price: expected a number that a double can hold, found a boolean");
    EXPECT_EQ((write_problem(box<std::map<std::string, std::string>>{{{"a", ""}, {"b", "\xff"}}})),
              "value{1}: the text is not valid UTF-8");
}

TEST(JsonContainers, the_last_of_equal_keys_wins) {
    EXPECT_EQ((read<std::map<std::string, int>>(R"({"a":1,"b":2,"a":3})")),
              (std::map<std::string, int>{{"a", 3}, {"b", 2}}));
}

TEST(JsonContainers, a_type_may_hold_itself) {
    expect_round_trip(tree{1, {{2, {}}, {3, {{4, {}}}}}});
    EXPECT_EQ(value_problem<tree>(R"({"children":[{},{"children":[{"value":"x"}]}]})"),
              "value.children[1].children[0].value: expected a whole number from -2147483648 to 2147483647, found a "
              "string");
}

TEST(JsonContainers, a_place_inside_is_named_when_writing_too) {
    using nested = std::map<std::string, std::vector<std::pair<int, std::string>>>;
    EXPECT_EQ((write_problem(box<nested>{{{"a", {{1, "fine"}, {2, "\xff"}}}}})),
              "value{0}[1][1]: the text is not valid UTF-8");
}

} // namespace
} // namespace ferry::testing
