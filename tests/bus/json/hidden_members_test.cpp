#include <ferry/reflection/hidden_members.hpp>

#include <gtest/gtest.h>

#include <any>
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

namespace {

struct line {
    int number;
    std::string article;
};

union piece_or_length {
    int pieces;
    float metres;
};

struct of_every_kind {
    int number;
    bool yes;
    std::string text;
    std::optional<std::string> perhaps;
    std::vector<line> lines;
    std::vector<bool> flags;
    std::map<std::string, line> by_name;
    line first;
    std::array<line, 2> two;
    std::pair<int, int> pair;
    std::tuple<int, std::string> tuple;
    std::variant<int, line> either;
    std::any whatever;
    std::function<void()> call;
    const int* pointer;
    piece_or_length named;
};

struct made_of_one {
    explicit made_of_one(int value);
};
struct made_of_two {
    made_of_two(int first, int second);
};
struct made_explicitly {
    explicit made_explicitly() = default;
};
struct hard_to_make {
    made_of_one one;
    made_of_two two;
    int& reference;
    made_explicitly last;
};

struct movable {
    std::unique_ptr<int> pointer;
    int number;
};

struct nothing {};

struct only_an_array {
    int numbers[3];
};
struct array_in_the_middle {
    std::string before;
    line lines[2];
    int after;
};
struct array_at_the_end {
    made_of_two before;
    std::optional<int> numbers[2];
};
struct array_of_arrays {
    int numbers[2][2];
    std::string after;
};
struct long_array {
    char text[300];
    int after;
};
struct movable_array {
    std::unique_ptr<int> pointers[2];
};

struct only_a_union {
    union {
        int pieces;
        float metres;
    };
};
template <typename Kind> struct union_in_the_middle {
    std::unique_ptr<Kind> before;
    union {
        Kind pieces;
        float metres;
    };
    piece_or_length after;
};

} // namespace

namespace ferry::detail {
namespace {

TEST(HiddenMembers, are_not_suspected_where_everything_is_plain_to_see) {
    static_assert(!has_c_array<of_every_kind> && !has_nameless_union<of_every_kind>);
    static_assert(!has_c_array<hard_to_make> && !has_nameless_union<hard_to_make>);
    static_assert(!has_c_array<movable> && !has_nameless_union<movable>);
    static_assert(!has_c_array<nothing> && !has_nameless_union<nothing>);
}

TEST(HiddenMembers, are_c_arrays_wherever_they_stand) {
    static_assert(has_c_array<only_an_array> && has_c_array<array_in_the_middle> && has_c_array<array_at_the_end>);
    static_assert(has_c_array<array_of_arrays> && has_c_array<long_array> && has_c_array<movable_array>);
}

TEST(HiddenMembers, are_unions_without_a_name) {
    static_assert(has_nameless_union<only_a_union> && has_nameless_union<union_in_the_middle<int>>);
    static_assert(!has_c_array<only_a_union> && !has_c_array<union_in_the_middle<int>>);
}

} // namespace
} // namespace ferry::detail
