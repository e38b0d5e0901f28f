#include <ferry/exception_summary.hpp>

#include <gtest/gtest.h>

#include <stdexcept>

namespace ferry {
namespace {

std::string text_of(const std::string& what) {
    return summary_of(std::make_exception_ptr(std::runtime_error{what})).text;
}

TEST(ExceptionSummary, tells_type_and_text) {
    const exception_summary summary = summary_of(std::make_exception_ptr(std::invalid_argument{"no such customer"}));
    EXPECT_EQ(summary.type, "std::invalid_argument");
    EXPECT_EQ(summary.text, "no such customer");
}

TEST(ExceptionSummary, is_utf8_whatever_the_exception_says) {
    EXPECT_EQ(text_of("caf\xc3\xa9 \xf0\x9f\x9a\xa2"), "caf\xc3\xa9 \xf0\x9f\x9a\xa2");
    EXPECT_EQ(text_of("caf\xe9"), "caf?");
    EXPECT_EQ(text_of("\xff\xfe caf\xc3\xa9 \xe9t\xe9 \xf0\x9f"), "?? caf\xc3\xa9 ?t? ??");
}

} // namespace
} // namespace ferry
