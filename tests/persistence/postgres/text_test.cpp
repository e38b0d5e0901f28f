#include "parameters.hpp"
#include "stored_columns.hpp"

#include <gmock/gmock.h>

namespace ferry::postgres {
namespace {

TEST(StorableText, is_left_alone_when_it_is_valid) {
    EXPECT_EQ(storable_text("grüße, 日本, 🚢"), "grüße, 日本, 🚢");
    EXPECT_EQ(storable_text(""), "");
}

TEST(StorableText, has_question_marks_for_what_no_database_takes) {
    EXPECT_EQ(storable_text(std::string_view{"a\0b", 3}), "a?b");
    EXPECT_EQ(storable_text("a\xff"), "a?");
    EXPECT_EQ(storable_text("\xc3"), "?");                // cut off
    EXPECT_EQ(storable_text("\xc0\xaf"), "??");           // too long a form
    EXPECT_EQ(storable_text("\xe0\x80\xaf"), "???");      // too long a form
    EXPECT_EQ(storable_text("\xed\xa0\x80"), "???");      // half a pair
    EXPECT_EQ(storable_text("\xf4\x90\x80\x80"), "????"); // beyond Unicode
    EXPECT_EQ(storable_text("\xe6\x97x"), "??x");
}

TEST(StorableText, ends_somewhere) { EXPECT_LE(storable_text(std::string(1 << 20, 'x')).size(), 8192U); }

TEST(Parameters, are_written_in_network_order) {
    parameters some;
    some.add(std::int16_t{1}).add(std::int64_t{-2}).add(std::string_view{"text"});

    EXPECT_EQ(some.count(), 3);
    EXPECT_THAT(some.lengths(), ::testing::ElementsAre(2, 8, 4));
    EXPECT_EQ(std::string(some.values()[0], 2), std::string("\0\1", 2));
    EXPECT_EQ(std::string(some.values()[1], 8), std::string("\xff\xff\xff\xff\xff\xff\xff\xfe"));
    EXPECT_EQ(std::string(some.values()[2], 4), "text");
}

} // namespace
} // namespace ferry::postgres
