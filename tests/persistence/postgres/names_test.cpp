#include "migrations.hpp"
#include "names.hpp"

#include <ferry/error.hpp>

#include <gmock/gmock.h>

namespace ferry::postgres {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(PostgresNames, quote_whatever_they_are_given) {
    EXPECT_EQ(names("ferry", "").table("outbox"), R"("ferry"."outbox")");
    EXPECT_EQ(names("My \"own\"", "Billing.").table("outbox"), R"("My ""own"""."Billing.outbox")");
}

TEST(PostgresNames, take_the_place_of_those_in_a_text) {
    const names own{"shop", "billing_"};
    EXPECT_EQ(own.translated("create schema ferry;\ncreate index outbox_dead on ferry.outbox (number);"),
              "create schema \"shop\";\ncreate index \"billing_outbox_dead\" on \"shop\".\"billing_outbox\" (number);");
    EXPECT_EQ(own.translated("select 1"), "select 1");
}

TEST(PostgresNames, leave_nothing_of_the_default_ones_in_the_schema) { // B78
    for (const migration& each : migrations()) {
        EXPECT_THAT(names("shop", "").translated(each.sql), Not(HasSubstr(" ferry."))) << each.file;
    }
}

TEST(PostgresNames, have_keys_of_their_own) {
    EXPECT_EQ(names("a", "b").key(), names("a", "b").key());
    EXPECT_NE(names("a", "b").key(), names("ab", "").key());
    EXPECT_NE(names("a", "b").key(), names("a", "c").key());
}

TEST(PostgresNames, are_refused_when_the_server_would_cut_them_off) {
    EXPECT_THROW(names("", ""), error);
    EXPECT_THROW(names(std::string(64, 'x'), ""), error);
    EXPECT_THROW(names("ferry", std::string(48, 'x')), error);
    EXPECT_NO_THROW(names(std::string(63, 'x'), std::string(47, 'x')));
}

} // namespace
} // namespace ferry::postgres
