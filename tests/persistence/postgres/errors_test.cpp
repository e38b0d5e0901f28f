#include <ferry/postgres/errors.hpp>

#include <gtest/gtest.h>
#include <pqxx/except>

#include <stdexcept>

namespace ferry::postgres {
namespace {

bool passes(const char* sqlstate) { return is_transient(pqxx::sql_error{"text", "select 1", sqlstate}); }

TEST(PostgresErrors, are_transient_when_the_same_may_succeed_later) { // B77
    for (const char* each :
         {"25006", "25P03", "25P04", "40001", "40P01", "53300", "55P03", "57P01", "57P02", "57P03", "08006", "08000"}) {
        EXPECT_TRUE(passes(each)) << each;
    }
    EXPECT_TRUE(is_transient(pqxx::broken_connection{"lost"}));
    EXPECT_TRUE(is_transient(pqxx::in_doubt_error{"lost while committing"}));
    EXPECT_TRUE(is_transient(pqxx::too_many_connections{"full"}));
    EXPECT_TRUE(is_transient(pqxx::deadlock_detected{"deadlock", "update"}));
    EXPECT_TRUE(is_transient(sql_error{"lost", "08006", true}));
}

TEST(PostgresErrors, are_not_when_somebody_must_change_something) {
    for (const char* each : {"42P01", "23505", "57014", "22021", "25P02", "53100"}) {
        EXPECT_FALSE(passes(each)) << each;
    }
    EXPECT_FALSE(is_transient(std::runtime_error{"the handler's own"}));
    EXPECT_FALSE(is_transient(schema_error{"missing"}));
    EXPECT_FALSE(is_transient(pqxx::usage_error{"wrong"}));
}

} // namespace
} // namespace ferry::postgres
