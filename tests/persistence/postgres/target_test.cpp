#include "target.hpp"

#include <ferry/error.hpp>

#include <gmock/gmock.h>

namespace ferry::postgres {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;

std::string problem_with(std::string_view url) {
    try {
        return "none: " + target{url, 1s}.description();
    } catch (const error& problem) {
        EXPECT_FALSE(problem.is_transient()) << url;
        return problem.what();
    }
}

TEST(PostgresTarget, describes_itself_without_the_password) {
    EXPECT_EQ(target("postgresql://shop:secret@db:5433/orders?sslmode=prefer", 1s).description(),
              "postgresql://shop@db:5433/orders");
    EXPECT_EQ(target("postgresql:///shop", 1s).description(), "postgresql:///shop");
    EXPECT_EQ(target("host=db dbname=shop password=secret", 1s).description(), "postgresql://db/shop");
}

TEST(PostgresTarget, says_what_cannot_be_read_and_never_shows_the_password) {
    for (const std::string_view url :
         {"postgresql://shop:secret@[db/orders", "postgresql://shop:secret@db/orders?nonsense=secret",
          "postgresql://shop:secret%zz@db/orders", "host=db password='secret", "postgresql://secret\"secret@[db",
          "mysql://shop:secret@db"}) {
        EXPECT_THAT(problem_with(url), HasSubstr("write postgresql://user:password@host:5432/database")) << url;
        EXPECT_THAT(problem_with(url), Not(HasSubstr("secret"))) << url;
    }
}

} // namespace
} // namespace ferry::postgres
