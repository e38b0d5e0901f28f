#include "json_support.hpp"

namespace ferry::testing {
namespace {

TEST(JsonStrings, what_json_reserves_is_escaped) {
    EXPECT_EQ(written(std::string{"say \"hi\" \\ \n\r\t\b\f"}), R"("say \"hi\" \\ \n\r\t\b\f")");
    EXPECT_EQ(written(std::string{"\x01\x1f\0", 3}), R"("\u0001\u001f\u0000")");
}

// A scan goes by blocks: so every place in several of them is tried, and every length.
TEST(JsonStrings, an_escape_is_found_at_every_place) {
    for (std::size_t size = 1; size <= 70; ++size) {
        for (std::size_t place = 0; place < size; ++place) {
            std::string text(size, 'x');
            text[place] = '"';
            expect_round_trip(text);
            text[place] = '\x1f';
            expect_round_trip(text);
        }
    }
}

TEST(JsonStrings, only_what_json_reserves_is_escaped) {
    for (std::size_t size = 0; size <= 300; ++size) {
        const std::string plain(size, 'x');
        EXPECT_EQ(written(plain + "\n" + plain), '"' + plain + "\\n" + plain + '"');
    }
}

TEST(JsonStrings, plain_text_of_every_length_survives) {
    for (std::size_t size = 0; size <= 200; ++size) {
        expect_round_trip(std::string(size, ' '));
        expect_round_trip(std::string(size, '\x7f'));
        expect_round_trip(std::string(size, '"'));
    }
}

TEST(JsonStrings, a_long_text_of_nothing_but_escapes_takes_no_time) { expect_round_trip(std::string(1'000'000, '\\')); }

TEST(JsonStrings, text_beyond_ascii_stays_as_it_is) {
    const std::string text = "M\xc3\xbcnchen \xe2\x82\xac \xf0\x9f\x9a\xa2 and then some more text";
    EXPECT_EQ(written(text), '"' + text + '"');
    expect_round_trip(text);
}

TEST(JsonStrings, escapes_of_other_writers_are_understood) {
    EXPECT_EQ(read<std::string>(R"("\u00fc \ud83d\udea2 \/")"), "\xc3\xbc \xf0\x9f\x9a\xa2 /");
}

TEST(JsonStrings, escapes_that_mean_nothing_are_refused) {
    EXPECT_THAT(value_problem<std::string>(R"("\q")"),
                ::testing::StartsWith("value: a string holds an escape that JSON does not know"));
    EXPECT_THAT(value_problem<std::string>(R"("\ud83d")"), ::testing::StartsWith("value: a string holds an escape"));
}

TEST(JsonStrings, a_control_character_must_be_escaped) {
    EXPECT_EQ(value_problem<std::string>("\"a\nb\""), "a string holds a control character that is not escaped");
}

TEST(JsonStrings, bad_utf8_is_not_written) {
    for (const char* const bad : {"\xff", "\xc3", "\xed\xa0\x80", "\xc0\xaf", "\xf5\x80\x80\x80", "ok\x80", "\"\xff"}) {
        EXPECT_EQ(write_problem(box<std::string>{bad}), "value: the text is not valid UTF-8");
        EXPECT_EQ(write_problem(box<std::string>{std::string(40, '"') + bad}), "value: the text is not valid UTF-8");
    }
}

TEST(JsonStrings, bad_utf8_is_not_read_and_its_place_is_named) {
    using list = std::vector<std::string>;
    EXPECT_EQ(value_problem<list>("[\"fine\",\"b\xff\"]"), "value[1]: the text is not valid UTF-8");
    EXPECT_EQ(value_problem<list>("[\"fine\",\"\xff\"]"), "value[1]: the text is not valid UTF-8");
    EXPECT_EQ(value_problem<list>("[\"\xc3\",\"\xff\"]"), "value[0]: the text is not valid UTF-8");
    EXPECT_EQ(problem<box<int>>("{\"value\":1,\"skipped\":{\"here\":\"\xed\xa0\x80\"}}"),
              "{1}{0}: the text is not valid UTF-8");
}

TEST(JsonStrings, a_text_that_stands_where_it_should_not_is_not_shown) {
    EXPECT_EQ(value_problem<bool>("\"4111 1111 1111 1111\""), "value: expected true or false, found a string");
}

TEST(JsonStrings, a_view_can_be_written) {
    buffer out;
    json_writer writer{out};
    write_json(writer, std::string_view{"text"});
    writer.finish();
    EXPECT_EQ(out.view(), "\"text\"");
}

} // namespace
} // namespace ferry::testing
