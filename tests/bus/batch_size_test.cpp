#include "../../bus/src/batch_size.hpp"

#include <gtest/gtest.h>

namespace ferry {
namespace {

constexpr std::size_t mebibyte = std::size_t{1024} * 1024;

TEST(BatchSize, begins_with_few_rows_and_grows_while_they_are_small) {
    batch_size size{500};
    EXPECT_EQ(size.next(), 16U);
    size.took(16, 16 * 500);
    EXPECT_EQ(size.next(), 64U);
    size.took(64, 64 * 500);
    size.took(256, 256 * 500);
    EXPECT_EQ(size.next(), 500U);
}

TEST(BatchSize, shrinks_at_once_when_rows_are_large) {
    batch_size size{500};
    size.took(16, 16 * 500);
    size.took(64, 64 * mebibyte);
    EXPECT_EQ(size.next(), 4U);
    size.took(4, 4 * 100 * mebibyte);
    EXPECT_EQ(size.next(), 1U) << "however large, one row leaves";
}

TEST(BatchSize, is_never_more_than_was_asked_for) {
    batch_size size{3};
    EXPECT_EQ(size.next(), 3U);
    size.took(3, 3);
    EXPECT_EQ(size.next(), 3U);
}

TEST(BatchSize, learns_nothing_from_an_empty_batch) {
    batch_size size{500};
    size.took(0, 0);
    EXPECT_EQ(size.next(), 16U);
}

} // namespace
} // namespace ferry
