#include "json_support.hpp"
#include "shop.hpp"

namespace ferry::testing {
namespace {

TEST(JsonMalformed, is_refused_with_the_place) {
    EXPECT_EQ(problem<shop::line>(R"({"article" "rope"})"), "this is not JSON, near byte 11");
    EXPECT_EQ(problem<shop::line>(R"({"article":"rope",})"), "article: this is not JSON, near byte 18");
    EXPECT_EQ(problem<shop::line>(R"({"article":"rope)"), "a string is never closed");
    EXPECT_EQ(problem<shop::line>(R"({"price":1)"),
              "the body does not end where its JSON ends: it is cut off, or something follows");
    EXPECT_EQ(problem<shop::line>(""), "the body is empty");
    EXPECT_EQ(problem<shop::line>("   "), "the body is empty");
}

TEST(JsonMalformed, is_refused_behind_the_end) {
    EXPECT_EQ(problem<shop::line>(R"({"price":1}{})"), "there is something behind the end of the JSON document");
    EXPECT_EQ(problem<shop::line>(R"({"price":1}x)"),
              "the body does not end where its JSON ends: it is cut off, or something follows");
    EXPECT_NE(problem<shop::line>(R"({"price":1},)"), "no problem");
    EXPECT_NE(problem<shop::line>(R"({"price":1}})"), "no problem");
}

class JsonMalformedValue : public ::testing::TestWithParam<const char*> {};

TEST_P(JsonMalformedValue, is_refused_where_it_is_skipped) {
    const std::string value = GetParam();
    for (const std::string& json :
         {"{\"skipped\":" + value + "}", "{\"skipped\":[{\"deeper\":" + value + "}],\"price\":1}",
          "{\"skipped\":[1," + value + ",2]}"}) {
        EXPECT_NE(problem<shop::line>(json), "no problem") << json;
    }
}

INSTANTIATE_TEST_SUITE_P(All, JsonMalformedValue,
                         ::testing::Values("tru", "truee", "nul", "nulll", "fals", "01", "-", "1.", ".5", "1e", "1e+",
                                           "+1", "0x10", "1a", "NaN", "Infinity", "\"\\q\"", "\"\\u12\"", "\"\\ud800\"",
                                           "\"\\udc00\"", "\"\\udc00\\ud800\"", "\"\\ud800\\ud800\"", "\"a\"b",
                                           "\"a\" \"b\"", "1 2", "[1,]", "[,1]", "[1 2]", "[1", "1]", "{\"a\"}",
                                           "{\"a\":}", "{\"a\":1,}", "{a:1}", "{1:2}", "{\"a\":1 \"b\":2}", "{\"a\":1",
                                           "[}", "{]", "", ",", ":", "'a'", "\"a", "{\"\\q\":1}", "{\"a\"\"b\":1}",
                                           "[1}", "{\"a\":1]", "/**/1", "\\", "\"\t\""));

TEST(JsonMalformed, text_of_another_reading_does_not_matter) {
    buffer body{R"({"price":1111111111111111111111})"};
    body.assign(R"({"price":1)"); // the old digits still lie behind the end
    shop::line message;
    EXPECT_THROW((json_codec<shop::line>{}.decode(body, &message)), decode_error);
}

} // namespace
} // namespace ferry::testing
