#include "sqlite_support.hpp"

#include <thread>

namespace ferry::testing {

using ::testing::HasSubstr;

TEST_F(SqliteStore, says_that_a_turn_to_write_did_not_come_in_time) { // B77
    const auto first = store_.work();
    first->begin();

    std::jthread{[&] {
        const auto second = store_.work();
        try {
            second->begin();
            ADD_FAILURE() << "two units were open at once";
        } catch (const store_error& refused) {
            EXPECT_THAT(refused.what(), HasSubstr("turn_timeout"));
            EXPECT_TRUE(store_.is_transient(std::current_exception()));
        }
    }};
}

TEST_F(SqliteStore, says_that_a_second_unit_would_wait_for_the_first_of_its_thread) {
    const auto first = store_.work();
    first->begin();

    EXPECT_THAT(refusal_of([&] { store_.work()->begin(); }), HasSubstr("context"));

    first->commit();
    EXPECT_NO_THROW(store_.work()->begin());
}

TEST_F(SqliteStore, gives_up_its_turn_with_the_commit) {
    const auto first = store_.work();
    first->append(a_row());
    first->commit();

    EXPECT_NO_THROW(commit_row(store_, a_row()));
    EXPECT_THROW(first->begin(), store_error);
    EXPECT_EQ(store_.count().pending, 2U);
}

TEST_F(SqliteStore, makes_a_cancellation_part_of_the_unit_its_thread_has_open) { // B79
    const stored_message message = a_row("later", noon + 1h);
    {
        const auto work = store_.work();
        work->schedule(message);
        work->commit();
    }
    {
        const auto dropped = store_.work();
        dropped->begin();
        EXPECT_TRUE(store_.cancel(message.id));
    }
    EXPECT_EQ(store_.count().scheduled, 1U);
    {
        const auto committed = store_.work();
        committed->begin();
        EXPECT_TRUE(store_.cancel(message.id));
        committed->commit();
    }
    EXPECT_EQ(store_.count().scheduled, 0U);
}

TEST_F(SqliteStore, calls_a_lock_of_the_application_a_passing_error) { // B77
    const plain_connection application{path_};
    execute(application.get(), "begin immediate");

    try {
        store_.work()->begin();
        ADD_FAILURE() << "two connections wrote at once";
    } catch (const store_error& refused) {
        EXPECT_TRUE(refused.is_transient());
        EXPECT_THAT(refused.what(), HasSubstr("busy_timeout"));
        EXPECT_THAT(refused.what(), HasSubstr(path_));
    }
    execute(application.get(), "rollback");
    EXPECT_NO_THROW(commit_row(store_, a_row()));
}

TEST_F(SqliteStore, reads_while_the_application_writes) {
    commit_row(store_, a_row());
    const plain_connection application{path_};
    execute(application.get(), "begin immediate");

    EXPECT_EQ(store_.count().pending, 1U);
    EXPECT_EQ(store_.take(10, noon, 0)->rows().size(), 1U);
}

TEST_F(SqliteStore, reads_and_hands_out_rows_while_a_unit_is_open) {
    commit_row(store_, a_row());
    const auto work = store_.work();
    work->begin();

    std::jthread{[&] { EXPECT_EQ(store_.take(10, noon, 0)->rows().size(), 1U); }};
}

TEST_F(SqliteStore, says_that_a_handler_has_ended_its_transaction) { // B74
    for (const std::string end : {"commit", "rollback"}) {
        const auto work = store_.work();
        execute(connection_of(*work), end);
        work->append(a_row());

        EXPECT_THAT(refusal_of([&] { work->commit(); }), HasSubstr("COMMIT"));
        EXPECT_EQ(store_.count().pending, 0U);
    }
}

TEST_F(SqliteStore, survives_statements_a_handler_has_left_open) {
    const auto work = store_.work();
    sqlite3_stmt* left = nullptr;
    ASSERT_EQ(sqlite3_prepare_v2(connection_of(*work), "select name from sqlite_schema", -1, &left, nullptr),
              SQLITE_OK);
    ASSERT_EQ(sqlite3_step(left), SQLITE_ROW);
    work->append(a_row());

    work->commit();

    EXPECT_EQ(store_.count().pending, 1U);
    sqlite3_finalize(left);
}

TEST_F(SqliteStore, enforces_foreign_keys_unless_told_not_to) {
    const auto insert_an_orphan = [&] {
        const auto work = store_.work();
        execute(connection_of(*work), "create table if not exists parents (number integer primary key);"
                                      "create table if not exists children (parent integer references parents);"
                                      "insert into children values (1)");
        work->commit();
    };
    EXPECT_THROW(insert_an_orphan(), std::runtime_error);

    store_.stop();
    store_ = sqlite::store{path_, {.foreign_keys = false}};
    store_.start({});
    EXPECT_NO_THROW(insert_an_orphan());
}

TEST_F(SqliteStore, writes_nothing_when_the_disk_is_full) { // B74
    {
        const auto work = store_.work();
        execute(connection_of(*work), "pragma max_page_count = 1"); // as many as there are
        work->append(a_row(std::string(1 << 20, 'x')));

        EXPECT_THAT(refusal_of([&] { work->commit(); }), HasSubstr("full"));
    }
    EXPECT_EQ(store_.count().pending, 0U);

    const auto work = store_.work();
    execute(connection_of(*work), "pragma max_page_count = 1000000");
    work->append(a_row(std::string(1 << 20, 'x')));
    work->commit();
    EXPECT_EQ(store_.count().pending, 1U);
}

TEST_F(SqliteStore, is_told_apart_when_it_is_not_started) {
    EXPECT_THAT(refusal_of([&] { store_.start({}); }), HasSubstr("started already"));
    store_.stop();
    EXPECT_THAT(refusal_of([&] { store_.work()->begin(); }), HasSubstr("not started"));
}

} // namespace ferry::testing
