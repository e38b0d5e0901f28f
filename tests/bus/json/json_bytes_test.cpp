#include "json_support.hpp"

namespace ferry::testing {
namespace {

using bytes = std::vector<std::byte>;

bytes bytes_of(std::string_view text) {
    const auto view = std::as_bytes(std::span{text});
    return {view.begin(), view.end()};
}

TEST(JsonBytes, are_base64) {
    EXPECT_EQ(written(bytes_of("")), R"("")");
    EXPECT_EQ(written(bytes_of("A")), R"("QQ==")");
    EXPECT_EQ(written(bytes_of("AB")), R"("QUI=")");
    EXPECT_EQ(written(bytes_of("ABC")), R"("QUJD")");
    EXPECT_EQ(written(bytes_of("\xfb\xff")), R"("+/8=")");
    EXPECT_EQ(written(buffer{"ABC"}), R"("QUJD")");
}

TEST(JsonBytes, of_every_length_survive) {
    std::string text;
    for (int size = 0; size < 300; ++size) {
        expect_round_trip(bytes_of(text));
        expect_round_trip(buffer{text});
        text.push_back(static_cast<char>(size * 7));
    }
}

TEST(JsonBytes, that_are_no_base64_are_refused) {
    EXPECT_EQ(value_problem<bytes>(R"("QUI")"), "value: expected base64 text, found other text");
    for (const char* const text : {R"("=")", R"("====")", R"("QQ=Q")", R"("Q===")", R"("QQ= ")", R"("QU-D")",
                                   R"("QUJD====")", R"("QQ==QQ==")", R"("QR==")", R"("QUJ=")", "\"QU\xc3\xbc\""}) {
        EXPECT_THAT(value_problem<bytes>(text), ::testing::StartsWith("value: expected base64 text, found")) << text;
        EXPECT_THAT(value_problem<buffer>(text), ::testing::StartsWith("value: expected base64 text, found")) << text;
    }
}

} // namespace
} // namespace ferry::testing
