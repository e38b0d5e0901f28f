#include "settings.hpp"
#include "sqlite_support.hpp"

namespace ferry::testing {

using ::testing::HasSubstr;

TEST(SqliteSettings, need_a_path) {
    EXPECT_THAT(refusal_of([] { sqlite::store{""}; }), HasSubstr(":memory:"));
}

TEST(SqliteSettings, need_a_prefix_that_can_begin_a_table) {
    for (const std::string each : {"", "1_", "a-b", "a b", "x;drop", "sqlite_"}) {
        EXPECT_THAT(refusal_of([&] { sqlite::store{"shop.db", {.table_prefix = each}}; }), HasSubstr("prefix")) << each;
    }
    EXPECT_NO_THROW((sqlite::store{"shop.db", {.table_prefix = "Billing2_"}}));
}

TEST(SqliteSettings, need_waits_that_are_not_negative) {
    EXPECT_THAT(refusal_of([] { sqlite::store{"shop.db", {.busy_timeout = -1s}}; }), HasSubstr("busy_timeout"));
    EXPECT_THAT(refusal_of([] { sqlite::store{"shop.db", {.turn_timeout = -1s}}; }), HasSubstr("turn_timeout"));
}

TEST(SqliteSettings, replace_the_prefix_wherever_it_stands) {
    EXPECT_EQ(sqlite::with_prefix("from ferry_a join ferry_b", "x_"), "from x_a join x_b");
    EXPECT_EQ(sqlite::with_prefix("ferry_", "my_ferry_"), "my_ferry_");
    EXPECT_EQ(sqlite::with_prefix("", "x_"), "");
}

} // namespace ferry::testing
