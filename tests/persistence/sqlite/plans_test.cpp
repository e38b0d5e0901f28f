#include "sqlite_support.hpp"

#include <database.hpp>
#include <outbox.hpp>
#include <schedule.hpp>

#include <array>

namespace ferry::sqlite {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::noon;
using ::testing::Not;

/// How SQLite finds the rows that a statement is about.
class SqlitePlans : public ::testing::Test {
protected:
    SqlitePlans() { shop_.ensure_schema(); }

    /// The plan of the statement with these words, which somebody has used on that connection.
    [[nodiscard]] static std::string plan_of(sqlite3* connection, std::string_view words) {
        for (sqlite3_stmt* each = nullptr; (each = sqlite3_next_stmt(connection, each)) != nullptr;) {
            if (const std::string sql = sqlite3_sql(each); sql.contains(words)) {
                return explained(connection, sql);
            }
        }
        return "nobody has asked that";
    }
    [[nodiscard]] std::string read_plan(std::string_view words) { return plan_of(shop_.read()->handle(), words); }
    [[nodiscard]] std::string write_plan(std::string_view words) {
        const writing own = shop_.write();
        return plan_of(own->handle(), words);
    }

    testing::temporary_folder folder_;
    database shop_{checked(folder_ / "shop.db", {})};

private:
    [[nodiscard]] static std::string explained(sqlite3* connection, const std::string& sql) {
        const statement_ptr statement = prepare(connection, "explain query plan " + sql, false);
        std::string plan;
        for (query steps{statement.get()}; steps.next();) {
            plan += std::string{steps.text(3)} + "\n";
        }
        return plan;
    }
};

/// Nothing is looked at that is in no index of rows like those.
auto uses(const std::string& index) { return AllOf(HasSubstr(index), Not(HasSubstr("SCAN ferry_outbox\n"))); }

TEST_F(SqlitePlans, look_for_what_is_due_where_no_dead_rows_are) {
    (void)outbox::take(shop_, 100, noon, 0);
    (void)outbox::shards_due(shop_, noon);
    (void)next_due(shop_);

    EXPECT_THAT(read_plan("shard is null and number > ?"), uses("USING INDEX ferry_outbox_unordered (number>?)"));
    EXPECT_THAT(read_plan("shard = ?"), uses("USING INDEX ferry_outbox_shards (shard=?)"));
    EXPECT_THAT(read_plan("group by partition_key"),
                AllOf(uses("USING INDEX ferry_outbox_unordered_due"), HasSubstr("USING INDEX ferry_outbox_keys"),
                      HasSubstr("ferry_schedule_due")));
}

TEST_F(SqlitePlans, finish_rows_by_their_numbers) {
    const std::array outcomes{row_outcome{.number = 1}, row_outcome{.number = 2, .fate = row_fate::failed},
                              row_outcome{.number = 3, .fate = row_fate::dead},
                              row_outcome{.number = 4, .fate = row_fate::postponed}};
    settle(shop_, outcomes);

    for (const char* const words : {"delete from ferry_outbox where number", "last_error = ?, due = ?",
                                    "last_error = ?, dead = 1", "set due = ?"}) {
        EXPECT_THAT(write_plan(words), uses("USING INTEGER PRIMARY KEY (rowid=?)")) << words;
    }
}

TEST_F(SqlitePlans, tidy_up_and_schedule_by_indexes) {
    promote_due(shop_, 100, noon);
    cancel(shop_, {});
    (void)outbox::dead(shop_, {});
    outbox::replay(shop_, {}, noon);
    outbox::forget_dead(shop_, noon, 100);

    EXPECT_THAT(write_plan("insert into ferry_outbox"), HasSubstr("INDEX ferry_schedule_due (due<?)"));
    EXPECT_THAT(write_plan("delete from ferry_schedule where number"), HasSubstr("INDEX ferry_schedule_due (due<?)"));
    EXPECT_THAT(write_plan("delete from ferry_schedule where id"), HasSubstr("INDEX ferry_schedule_id (id=?)"));
    EXPECT_THAT(read_plan("last_error, created_at"), uses("INDEX ferry_outbox_dead"));
    EXPECT_THAT(write_plan("set dead = 0"), uses("INDEX ferry_outbox_dead"));
    EXPECT_THAT(write_plan("created_at < ?"), uses("INDEX ferry_outbox_dead"));
}

} // namespace
} // namespace ferry::sqlite
