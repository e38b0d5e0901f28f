#include "postgres_fixture.hpp"
#include "statements.hpp"

#include <format>
#include <regex>

namespace ferry::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

struct plan {
    std::string text;
    int pages = 0; ///< that were looked at
};

/// Statements are planned while the tables are empty, as in a new service, and are looked at when they are full.
class PostgresPlans : public ::testing::Test {
protected:
    PostgresPlans() {
        postgres::store{database.url()}.ensure_schema();
        database.exec("alter table ferry.outbox set (autovacuum_enabled = off)"); // nobody tidies up behind the test
        connection = std::make_unique<pqxx::connection>(database.url());
        pqxx::nontransaction{*connection}.exec(postgres::settings_of_its_own);
    }

    void prepare(const postgres::statement& what, const std::string& arguments) {
        pqxx::nontransaction session{*connection};
        session.exec(std::format("prepare {} as {}", what.name, what.sql));
        static_cast<void>(explain(session, what, arguments));
    }
    [[nodiscard]] plan look_at(const postgres::statement& what, const std::string& arguments) {
        pqxx::nontransaction session{*connection};
        static_cast<void>(
            explain(session, what, arguments)); // marks what it finds to be deleted, for those that follow
        return explain(session, what, arguments);
    }
    [[nodiscard]] plan explain(pqxx::transaction_base& session, const postgres::statement& what,
                               const std::string& arguments) const {
        session.exec("begin");
        if (keeps_plans(what)) {
            session.exec(sql.keep_plans.sql);
        }
        plan found;
        for (const auto& [line] :
             session.exec(std::format("explain (analyze, buffers) execute {} {}", what.name, arguments))
                 .iter<std::string>()) {
            found.text += line + "\n";
        }
        session.exec("rollback");
        std::smatch hits;
        if (std::regex_search(found.text, hits, std::regex{R"(Buffers: shared hit=(\d+))"})) {
            found.pages = std::stoi(hits[1]);
        }
        return found;
    }

    /// As the relay has them: those that take rows, and finish them on the same connection.
    [[nodiscard]] bool keeps_plans(const postgres::statement& what) const {
        return &what == &sql.take || &what == &sql.remove || &what == &sql.mark;
    }

    void fill(int from, int to, const std::string& key = "''", const std::string& shard = "null") {
        database.exec(std::format(
            "insert into ferry.outbox (id, destination, message_type, partition_key, shard, tenant, content,"
            " next_attempt_at, created_at) select gen_random_uuid(), 'queue:billing', 'placed', {}, {}, '',"
            " decode(repeat('00', 300), 'hex'), {}, {} from generate_series({}, {}) i",
            key, shard, now, now, from, to));
    }

    const std::int64_t now = noon.time_since_epoch().count();
    test_database database;
    postgres::statements sql{postgres::names{"ferry", ""}};
    std::unique_ptr<pqxx::connection> connection;
};

TEST_F(PostgresPlans, take_rows_at_the_same_cost_however_many_there_are) {
    const auto arguments = [&](std::int64_t after) { return std::format("({}, {}, 100)", now, after); };
    prepare(sql.take, arguments(0));

    fill(1, 1'000);
    const plan few = look_at(sql.take, arguments(0));
    fill(1'001, 100'000);
    const plan many = look_at(sql.take, arguments(0));
    fill(100'001, 1'000'000);
    const plan very_many = look_at(sql.take, arguments(0));
    database.exec("delete from ferry.outbox where number <= 900000");
    const plan after_deletions = look_at(sql.take, arguments(900'000));

    for (const plan& each : {few, many, very_many, after_deletions}) {
        EXPECT_THAT(each.text, AllOf(HasSubstr("Index Scan using outbox_pending"), Not(HasSubstr("Seq Scan")),
                                     Not(HasSubstr("Sort")), HasSubstr("rows=100 ")));
        EXPECT_LT(each.pages, 2 * few.pages) << each.text;
        EXPECT_LT(each.pages, 400) << each.text;
    }
}

TEST_F(PostgresPlans, take_rows_at_the_same_cost_however_many_have_failed) {
    const auto arguments = [&](std::int64_t at) { return std::format("({}, 0, 100)", at); };
    prepare(sql.take, arguments(now));
    fill(1, 1'000);
    const plan few = look_at(sql.take, arguments(now));
    fill(1'001, 101'000);
    database.exec(std::format("update ferry.outbox set next_attempt_at = {} where number <= 100000", now + 1'000));
    database.exec("vacuum ferry.outbox");

    const plan many = look_at(sql.take, arguments(now));
    EXPECT_THAT(many.text, AllOf(HasSubstr("outbox_pending"), HasSubstr("outbox_postponed"), Not(HasSubstr("Seq Scan")),
                                 HasSubstr("rows=100 ")));
    // Not those of 100,000 rows, of which nothing but a few index pages may be left.
    EXPECT_LT(many.pages, 4 * few.pages) << many.text;
    const plan due_again = look_at(sql.take, arguments(now + 1'000));
    EXPECT_THAT(due_again.text, AllOf(HasSubstr("rows=100 "), HasSubstr("rows=50 ")));
    EXPECT_LT(due_again.pages, 600) << due_again.text;
}

TEST_F(PostgresPlans, take_rows_at_the_same_cost_however_many_have_a_key_or_are_dead) {
    const auto arguments = std::format("({}, 0, 100)", now);
    prepare(sql.take, arguments);
    fill(1, 200);
    const plan few = look_at(sql.take, arguments);
    database.exec("delete from ferry.outbox");
    fill(1, 100'000, "'key'", "3");
    fill(1, 50'000);
    database.exec("update ferry.outbox set state = 1 where shard is null");
    database.exec("vacuum ferry.outbox"); // an analysis that runs by itself would keep what they were before
    fill(1, 200);

    const plan many = look_at(sql.take, arguments);
    EXPECT_THAT(many.text, AllOf(HasSubstr("Index Scan using outbox_pending"), HasSubstr("rows=100 ")));
    EXPECT_LT(many.pages, 4 * few.pages) << many.text;
}

TEST_F(PostgresPlans, take_a_shard_at_the_same_cost_however_many_rows_there_are) {
    const auto arguments = [&] { return std::format("({}, 3, 100)", now); };
    pqxx::nontransaction{*connection}.exec("set ferry_relay.shard_is_ours = 'true'");
    prepare(sql.take_shard, arguments());
    prepare(sql.shards_due, std::format("({}, 16)", now));
    prepare(sql.next_due, "");

    fill(1, 10'000, "'key' || i % 1000", "i % 16");
    const plan few = look_at(sql.take_shard, arguments());
    fill(10'001, 200'000, "'key' || i % 1000", "i % 16");
    // A tenth has failed and waits: the rows of their keys are passed over.
    database.exec(std::format("update ferry.outbox set next_attempt_at = {} where number > 100000 and number % 10 = 0",
                              now + 1'000'000'000));
    const plan many = look_at(sql.take_shard, arguments());

    EXPECT_THAT(many.text, AllOf(HasSubstr("outbox_shards"), HasSubstr("outbox_blocking"), Not(HasSubstr("Seq Scan")),
                                 HasSubstr("rows=100 ")));
    EXPECT_LT(many.pages, 2 * few.pages + 200) << many.text;
    const plan shards = look_at(sql.shards_due, std::format("({}, 16)", now));
    EXPECT_THAT(shards.text, AllOf(HasSubstr("outbox_shards"), Not(HasSubstr("Seq Scan"))));
    EXPECT_LT(shards.pages, 400) << shards.text;
    const plan next = look_at(sql.next_due, "");
    EXPECT_THAT(next.text, AllOf(HasSubstr("outbox_pending"), HasSubstr("outbox_shards"), HasSubstr("outbox_postponed"),
                                 HasSubstr("schedule_due"), Not(HasSubstr("Seq Scan"))));
    EXPECT_LT(next.pages, 100) << next.text;
}

TEST_F(PostgresPlans, finish_rows_at_the_same_cost_however_many_there_are) {
    std::string list;
    for (int i = 1; i <= 100; ++i) {
        list += std::format("{}{}", i == 1 ? "" : ",", i * 900);
    }
    const std::string numbers = std::format("('{{{}}}')", list);
    const std::string marks = std::format(
        "('{{{}}}', array_fill(1::int2, array[100]), array_fill(0::int2, array[100]), array_fill(0::int8, array[100]),"
        " array_fill('nack'::text, array[100]))",
        list);
    prepare(sql.remove, numbers);
    prepare(sql.mark, marks);
    prepare(sql.remove_free, numbers);
    prepare(sql.mark_free, marks);
    fill(1, 100'000);

    const plan removal = look_at(sql.remove, numbers);
    EXPECT_THAT(removal.text, AllOf(HasSubstr("outbox_pkey"), Not(HasSubstr("Seq Scan"))));
    EXPECT_LT(removal.pages, 1'000) << removal.text;
    const plan marking = look_at(sql.mark, marks);
    EXPECT_THAT(marking.text, AllOf(HasSubstr("outbox_pkey"), Not(HasSubstr("Seq Scan"))));
    EXPECT_LT(marking.pages, 3'000) << marking.text;
    for (const plan& free : {look_at(sql.remove_free, numbers), look_at(sql.mark_free, marks)}) {
        EXPECT_THAT(free.text, AllOf(HasSubstr("outbox_pkey"), HasSubstr("Tid Scan"), Not(HasSubstr("Seq Scan"))));
        EXPECT_LT(free.pages, 4'000) << free.text;
    }
}

TEST_F(PostgresPlans, tidy_up_and_schedule_by_indexes) {
    prepare(sql.promote, std::format("({}, 100)", now));
    prepare(sql.cancel, "(gen_random_uuid())");
    prepare(sql.forget_claims, std::format("({}, 100)", now));
    prepare(sql.forget_dead, std::format("({}, 100)", now));
    prepare(sql.dead, "(-1, '', '', '', 100)");
    database.exec(std::format(
        "insert into ferry.schedule (id, destination, message_type, partition_key, tenant, content, due_at, created_at)"
        " select gen_random_uuid(), '', '', '', '', '', {} + i, 0 from generate_series(-1000, 100000) i",
        now));
    database.exec(std::format("insert into ferry.inbox select gen_random_uuid(), 'billing', {} + i"
                              " from generate_series(-1000, 100000) i",
                              now));
    fill(1, 100'000);
    database.exec("update ferry.outbox set state = 1 where number > 99800");

    EXPECT_THAT(look_at(sql.promote, std::format("({}, 100)", now)).text,
                AllOf(HasSubstr("schedule_due"), HasSubstr("Tid Scan"), Not(HasSubstr("Seq Scan"))));
    EXPECT_THAT(look_at(sql.cancel, "(gen_random_uuid())").text, HasSubstr("schedule_pkey"));
    EXPECT_THAT(look_at(sql.forget_claims, std::format("({}, 100)", now)).text,
                AllOf(HasSubstr("inbox_age"), HasSubstr("Tid Scan"), Not(HasSubstr("Seq Scan"))));
    EXPECT_THAT(look_at(sql.forget_dead, std::format("({}, 100)", now + 1)).text,
                AllOf(HasSubstr("outbox_dead"), HasSubstr("Tid Scan"), Not(HasSubstr("Seq Scan"))));
    EXPECT_THAT(look_at(sql.dead, "(-1, '', '', '', 100)").text,
                AllOf(HasSubstr("outbox_dead"), Not(HasSubstr("Seq Scan"))));
}

} // namespace
} // namespace ferry::testing
