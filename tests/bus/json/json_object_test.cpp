#include "json_support.hpp"
#include "shop.hpp"

#include <boost/describe/class.hpp>

namespace ferry::testing {
namespace {

constexpr json_policy strict{.missing_fields = when_missing::fail};

struct keywords {
    int class_ = 0;
    std::string namespace_;
};

struct nothing {};

struct changed_default {
    std::optional<int> limit = 5;
};

class account {
public:
    account() = default;
    int balance = 0;

private:
    BOOST_DESCRIBE_CLASS(account, (), (balance), (), ())
};

struct savings : account {
    double interest = 0;
};
BOOST_DESCRIBE_STRUCT(savings, (account), (interest))

TEST(JsonObject, has_a_field_for_each_member) {
    EXPECT_EQ(to_json(shop::line{"rope", 2, 1.5}), R"({"article":"rope","quantity":2,"price":1.5})");
    EXPECT_EQ(to_json(nothing{}), "{}");
    EXPECT_EQ(problem<nothing>("{}"), "no problem");
}

TEST(JsonObject, drops_the_underscore_of_a_keyword) {
    EXPECT_EQ(to_json(keywords{1, "x"}), R"({"class":1,"namespace":"x"})");
    EXPECT_EQ(from_json<keywords>(R"({"class":7})").class_, 7);
}

TEST(JsonObject, may_be_a_described_class_with_bases) {
    savings message;
    message.balance = 5;
    message.interest = 0.5;
    EXPECT_EQ(to_json(message), R"({"balance":5,"interest":0.5})");
    EXPECT_EQ(from_json<savings>(R"({"interest":2,"balance":3})").balance, 3);
}

TEST(JsonObject, is_read_in_any_order) {
    EXPECT_EQ(from_json<shop::line>(R"({"price":1.5,"article":"rope","quantity":2})"), (shop::line{"rope", 2, 1.5}));
}

TEST(JsonObject, is_read_with_any_white_space) {
    EXPECT_EQ(from_json<shop::line>(" \n{ \"article\" :\t\"rope\" , \"quantity\":\r\n2 ,\"price\": 1.5 } \n"),
              (shop::line{"rope", 2, 1.5}));
}

TEST(JsonObject, knows_fields_whose_names_are_escaped) {
    EXPECT_EQ(from_json<shop::line>(R"({"qu\u0061ntity":2})").quantity, 2);
}

TEST(JsonObject, ignores_fields_it_does_not_know) {
    EXPECT_EQ(from_json<shop::line>(R"({"x":{"y":[1,null,"a",true,1e999,{}]},"article":"rope","z":[]})").article,
              "rope");
}

TEST(JsonObject, tells_fields_it_does_not_know_by_their_position) {
    EXPECT_EQ(problem<shop::line>(R"({"article":"rope","Ada's":[{"4111":01}]})"),
              "{1}[0]{0}: this is no number, near byte 35");
}

TEST(JsonObject, takes_the_last_of_equal_fields) {
    EXPECT_EQ(from_json<shop::line>(R"({"quantity":1,"quantity":2})").quantity, 2);
}

TEST(JsonObject, gives_missing_fields_their_default) {
    shop::order message{.customer = "Ada", .lines = {{"rope", 2, 1.5}}, .note = "x", .gift = true};
    read_into(message, "{}");
    EXPECT_EQ(message, shop::order{});
    EXPECT_EQ(message.customer, "nobody");
}

TEST(JsonObject, tells_null_from_missing) {
    EXPECT_EQ(from_json<changed_default>("{}").limit, 5);
    EXPECT_EQ(from_json<changed_default>(to_json(changed_default{std::nullopt})).limit, std::nullopt);
}

TEST(JsonObject, refuses_missing_fields_when_told_to) {
    EXPECT_EQ((problem<shop::line, strict>(R"({"article":"rope","price":1})")), "quantity: the field is missing");
    EXPECT_EQ((problem<box<std::vector<shop::line>>, strict>(R"({"value":[{"article":"","quantity":1}]})")),
              "value[0].price: the field is missing");
    EXPECT_EQ((problem<box<std::optional<int>>, strict>("{}")), "no problem");
}

TEST(JsonObject, leaves_nothing_behind_when_read_twice_into_the_same_message) {
    shop::order message;
    read_into(message, R"({"customer":"Ada","lines":[{"article":"rope","quantity":9},{"article":"sail"}],
        "prices":{"eur":1},"note":"x","payment":{"voucher":{"value":3}},"signature":"QUJD","gift":true})");
    read_into(message, R"({"lines":[{"price":2}],"prices":{"usd":2}})");

    shop::order expected;
    expected.lines = {{"", 1, 2}};
    expected.prices = {{"usd", 2}};
    EXPECT_EQ(message, expected);
}

TEST(JsonObject, keeps_the_memory_of_a_message_that_is_read_again) {
    shop::order message;
    const std::string json = R"({"customer":"a name that is too long to be kept inside","lines":[{},{},{}]})";
    read_into(message, json);
    const void* const text = message.customer.data();
    const void* const lines = message.lines.data();
    read_into(message, "{}");
    read_into(message, json);
    EXPECT_EQ(message.customer.data(), text);
    EXPECT_EQ(message.lines.data(), lines);
}

TEST(JsonObject, must_be_an_object) {
    EXPECT_EQ(problem<shop::line>("[]"), "expected an object, found an array");
    EXPECT_EQ(problem<shop::line>("5"), "expected an object, found a single value");
    EXPECT_EQ(problem<box<shop::line>>(R"({"value":"x"})"), "value: expected an object, found a string");
}

TEST(JsonCodec, says_what_it_writes) { EXPECT_EQ(json_codec<shop::line>{}.content_type(), "application/json"); }

TEST(JsonCodec, appends_to_what_is_in_the_buffer) {
    buffer out{"head "};
    const nothing message;
    json_codec<nothing>{}.encode(&message, out);
    EXPECT_EQ(out.view(), "head {}");
}

} // namespace
} // namespace ferry::testing
