#include <ferry/reflection.hpp>

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>

#include <string>
#include <vector>

namespace shop {

struct item {
    std::string name;
    int count = 0;
};

struct nothing {};

struct base {
    int first = 1;
};
struct undescribed : base {
    int second = 2;
};
struct described : base {
    int second = 2;
};
BOOST_DESCRIBE_STRUCT(base, (), (first))
BOOST_DESCRIBE_STRUCT(described, (base), (second))

class account {
public:
    account() = default;
    int balance = 7;

private:
    int secret_ = 8;
    BOOST_DESCRIBE_CLASS(account, (), (balance), (), (secret_))
};

template <typename Type> struct crate {
    Type content;
};

enum class colour { red, green, blue = 100, missing = 128, cold = -16 };
enum class small : unsigned char { one = 1 };
enum plain { plain_one, plain_two };
enum class wide { far = 5000, farther = 100'000 };
BOOST_DESCRIBE_ENUM(wide, far, farther)

} // namespace shop

namespace ferry {
namespace {

std::vector<std::string> names_of(auto object) {
    std::vector<std::string> names;
    for_each_member(object, [&](std::string_view name, auto&) { names.emplace_back(name); });
    return names;
}

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(TypeName, has_the_namespaces_of_a_type) {
    EXPECT_EQ(type_name<shop::item>(), "shop::item");
    EXPECT_EQ(type_name<int>(), "int");
    EXPECT_EQ(type_name<shop::crate<int>>(), "shop::crate<int>");
}

TEST(TypeName, unqualified_has_neither_namespaces_nor_arguments) {
    EXPECT_EQ(unqualified_type_name<shop::item>(), "item");
    EXPECT_EQ(unqualified_type_name<shop::crate<shop::item>>(), "crate");
    EXPECT_EQ(unqualified_type_name<double>(), "double");
}

TEST(Members, of_an_aggregate_come_in_the_order_of_declaration) {
    EXPECT_THAT(names_of(shop::item{}), ElementsAre("name", "count"));
    EXPECT_THAT(names_of(shop::nothing{}), IsEmpty());
    static_assert(member_count<shop::item> == 2);
    static_assert(member_name<shop::item, 1>() == "count");
    static_assert(std::same_as<member_type<shop::item, 1>, int>);
}

TEST(Members, of_a_described_class_are_its_public_ones_with_those_of_its_bases) {
    EXPECT_THAT(names_of(shop::described{}), ElementsAre("first", "second"));
    EXPECT_THAT(names_of(shop::account{}), ElementsAre("balance"));
}

TEST(Members, can_be_changed_through_their_object) {
    shop::item item{"rope", 1};
    member<1>(item) = 5;
    EXPECT_EQ(item.count, 5);
}

TEST(Members, are_seen_only_where_that_is_possible) {
    static_assert(reflectable<shop::item> && reflectable<const shop::item> && reflectable<shop::nothing>);
    static_assert(reflectable<shop::described> && reflectable<shop::account>);
    static_assert(!reflectable<shop::undescribed>);
    static_assert(!reflectable<std::string> && !reflectable<int>);
}

TEST(EnumNames, are_found_from_minus_16_to_127) {
    EXPECT_EQ(enum_name(shop::colour::green), "green");
    EXPECT_EQ(enum_name(shop::colour::blue), "blue");
    EXPECT_EQ(enum_name(shop::colour::cold), "cold");
    EXPECT_EQ(enum_name(shop::colour::missing), "");
    EXPECT_EQ(enum_name(shop::small::one), "one");
    EXPECT_EQ(enum_names<shop::colour>.size(), 4);
}

TEST(EnumNames, lie_anywhere_when_they_are_described) {
    EXPECT_EQ(enum_name(shop::wide::far), "far");
    EXPECT_EQ(enum_value<shop::wide>("farther"), shop::wide::farther);
}

TEST(EnumNames, lead_back_to_values) {
    EXPECT_EQ(enum_value<shop::colour>("red"), shop::colour::red);
    EXPECT_EQ(enum_value<shop::colour>("pink"), std::nullopt);
}

TEST(EnumNames, need_a_description_when_the_enum_has_no_fixed_type) {
    static_assert(!nameable_enum<shop::plain>);
    static_assert(!nameable_enum<std::byte>);
    static_assert(nameable_enum<shop::small>);
}

} // namespace
} // namespace ferry
