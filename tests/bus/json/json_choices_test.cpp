#include "json_support.hpp"
#include "shop.hpp"

namespace ferry::testing {
namespace {

using payment = std::variant<shop::card_payment, shop::voucher>;
using anything = std::variant<std::monostate, bool, int, std::uint64_t, double, std::string, std::vector<int>, uuid>;

TEST(JsonOptional, is_its_value_or_null) {
    EXPECT_EQ(written(std::optional{5}), "5");
    EXPECT_EQ(written(std::optional<int>{}), "null");
    expect_round_trip(std::optional{std::string{"x"}});
    expect_round_trip(std::optional<std::string>{});
}

TEST(JsonOptional, takes_null_over_an_earlier_value) {
    box<std::optional<int>> message{7};
    read_into(message, R"({"value":null})");
    EXPECT_EQ(message.value, std::nullopt);
}

TEST(JsonOptional, does_not_take_what_only_begins_like_null) {
    EXPECT_THAT(value_problem<std::optional<int>>("nul"), ::testing::StartsWith("value: "));
    EXPECT_EQ(value_problem<std::optional<bool>>("5"), "value: expected true or false, found a number");
}

TEST(JsonVariant, says_which_alternative_it_holds) {
    EXPECT_EQ(written(payment{shop::card_payment{"4111"}}), R"({"card_payment":{"number":"4111"}})");
    expect_round_trip(payment{shop::voucher{12}});
}

TEST(JsonVariant, knows_plain_values_by_their_kind) {
    EXPECT_EQ(written(anything{}), "null");
    EXPECT_EQ(written(anything{true}), R"({"bool":true})");
    EXPECT_EQ(written(anything{5}), R"({"int":5})");
    EXPECT_EQ(written(anything{std::uint64_t{5}}), R"({"uint64":5})");
    EXPECT_EQ(written(anything{0.5}), R"({"double":0.5})");
    EXPECT_EQ(written(anything{"x"}), R"({"string":"x"})");
    EXPECT_EQ(written(anything{std::vector{1}}), R"({"list":[1]})");
    for (const anything& value : {anything{}, anything{false}, anything{7}, anything{"y"}, anything{uuid{}}}) {
        expect_round_trip(value);
    }
}

TEST(JsonVariant, changes_its_alternative_when_read_again) {
    box<payment> message{shop::card_payment{"4111"}};
    read_into(message, R"({"value":{"voucher":{"value":3}}})");
    EXPECT_EQ(message.value, payment{shop::voucher{3}});
}

TEST(JsonVariant, lists_its_choices_when_there_is_no_such_alternative) {
    EXPECT_EQ(value_problem<payment>(R"({"cash":1})"),
              R"(value{0}: this is not among the choices: "card_payment", "voucher")");
    EXPECT_EQ(value_problem<payment>("{}"), "value: expected an object with one field, named after what it holds: "
                                            R"("card_payment", "voucher")");
    EXPECT_EQ(value_problem<payment>(R"({"voucher":{},"cash":1})"), "value{1}: expected an object with one field only");
    EXPECT_EQ(value_problem<payment>("null"), "value: expected an object, found null");
}

TEST(JsonVariant, names_the_place_inside_an_alternative) {
    EXPECT_EQ(value_problem<payment>(R"({"card_payment":{"number":1}})"),
              "value.card_payment.number: expected a string, found a number");
    EXPECT_EQ(write_problem(box<payment>{shop::card_payment{"\xff"}}),
              "value.card_payment.number: the text is not valid UTF-8");
}

} // namespace
} // namespace ferry::testing
