#include "postgres_fixture.hpp"

#include <array>
#include <future>

namespace ferry::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// What a broken connection throws is transient, whoever threw it, and the next try works.
class Breaking : public PostgresTest {
protected:
    Breaking() { database.exec("create table orders (number int primary key)"); }

    template <typename Doing> void expect_transient(Doing doing) const {
        try {
            doing();
            ADD_FAILURE() << "worked";
        } catch (const std::exception& problem) {
            EXPECT_TRUE(store->is_transient(std::current_exception())) << problem.what();
        }
    }
    /// Handles the message from beginning to end.
    void handle_message() {
        const auto work = store->work();
        ASSERT_TRUE(claims(*work, message));
        transaction_of(*work).exec("insert into orders values (1)");
        work->append(a_message());
        work->commit();
        EXPECT_EQ(database.number("select count(*) from orders"), 1);
        EXPECT_EQ(store->count().pending, 1U);
    }

    const uuid message = id_source{5}.next(noon);
};

TEST_F(Breaking, of_idle_connections_is_not_noticed_by_anybody) { // B77
    {
        const auto one = store->work();
        const auto another = store->work();
    }
    EXPECT_GE(database.terminate_others(), 2);

    handle_message();
    EXPECT_THAT(bodies_of(*store->take(1, noon, 0)), ElementsAre("hello"));
}

TEST_F(Breaking, before_the_claim_leaves_nothing_behind) { // B77
    {
        const auto work = store->work();
        EXPECT_GE(database.terminate_others(), 1);
        expect_transient([&] { static_cast<void>(claims(*work, message)); });
    }
    handle_message();
}

TEST_F(Breaking, between_claim_and_commit_leaves_nothing_behind) { // B74, B77
    for (const bool asks_for_transaction : {false, true}) {
        const auto work = store->work();
        ASSERT_TRUE(claims(*work, message));
        if (asks_for_transaction) {
            transaction_of(*work).exec("insert into orders values (1)");
        }
        work->append(a_message());
        EXPECT_GE(database.terminate_others(), 1);
        expect_transient([&] { work->commit(); });
    }
    handle_message();
}

TEST_F(Breaking, of_a_pqxx_work_leaves_nothing_behind) { // B74, B77
    for (const bool in_handler : {true, false}) {
        const auto work = store->work();
        ASSERT_TRUE(claims(*work, message));
        pqxx::work& transaction = pqxx_work_of(*work);
        EXPECT_GE(database.terminate_others(), 1);
        expect_transient([&] {
            if (in_handler) {
                transaction.exec("insert into orders values (1)");
            }
            work->commit();
        });
    }
    handle_message();
}

TEST_F(Breaking, between_take_and_finish_frees_the_rows) { // B58, B77
    commit({a_message("0"), a_message("1")});
    const auto batch = store->take(10, noon, 0);
    EXPECT_GE(database.terminate_others(), 1);

    EXPECT_THAT(bodies_of(*store->take(10, noon, 0)), ElementsAre("0", "1"));
    const row_outcome sent{.number = batch->rows().front().number};
    expect_transient([&] { batch->finish({&sent, 1}); });
    EXPECT_THAT(bodies_of(*store->take(10, noon, 0)), ElementsAre("0", "1"));
}

TEST_F(Breaking, by_a_handler_that_closes_the_connection_is_survived) { // B77
    {
        const auto work = store->work();
        ASSERT_TRUE(claims(*work, message));
        transaction_of(*work).conn().close();
        EXPECT_THROW(work->commit(), std::exception);
    }
    handle_message();
}

TEST_F(Breaking, by_deadlock_is_transient) { // B77
    database.exec("insert into orders values (1), (2)");
    const auto first = store->work();
    const auto second = store->work();
    transaction_of(*first).exec("update orders set number = number + 10 where number = 1");
    transaction_of(*second).exec("update orders set number = number + 20 where number = 2");
    auto waiting = std::async(std::launch::async, [&] {
        transaction_of(*first).exec("update orders set number = number + 10 where number = 2");
    });
    std::exception_ptr caught;
    try {
        transaction_of(*second).exec("update orders set number = number + 20 where number = 1");
        ASSERT_NO_THROW(second->commit());
        waiting.get();
    } catch (...) {
        caught = std::current_exception();
    }
    EXPECT_TRUE(store->is_transient(caught));
}

TEST_F(Breaking, by_serialization_failure_is_transient) { // B77
    database.exec("alter database " + database.name() + " set default_transaction_isolation = 'serializable'");
    const auto other = started_store(database.url());
    const auto first = other->work();
    const auto second = other->work();
    transaction_of(*first).exec("select count(*) from orders");
    transaction_of(*second).exec("select count(*) from orders");
    transaction_of(*first).exec("insert into orders values (1)");
    transaction_of(*second).exec("insert into orders values (2)");
    first->commit();

    expect_transient([&] { second->commit(); });
    EXPECT_EQ(database.number("select count(*) from orders"), 1);
}

TEST_F(Breaking, by_a_server_that_only_reads_any_more_is_passing_and_the_connection_is_replaced) { // B77
    database.exec("alter database " + database.name() + " set default_transaction_read_only = on");
    EXPECT_GE(database.terminate_others(), 1); // as if the next one had found the old primary
    expect_transient([&] { static_cast<void>(claims(*store->work(), message)); });
    expect_transient([&] { transaction_of(*store->work()).exec("insert into orders values (1)"); });
    expect_transient([&] { static_cast<void>(store->take(1, noon, 0)); });

    database.exec("alter database " + database.name() + " set default_transaction_read_only = off");
    handle_message();
    EXPECT_THAT(bodies_of(*store->take(1, noon, 0)), ElementsAre("hello"));
}

TEST_F(Breaking, by_a_lock_that_is_not_to_be_had_is_transient) { // B73, B77
    const auto impatient = started_store(database.url(), {.lock_timeout = std::chrono::milliseconds{20}});
    const auto first = store->work();
    ASSERT_TRUE(claims(*first, message));
    const auto second = impatient->work();

    try {
        static_cast<void>(claims(*second, message));
        ADD_FAILURE() << "claimed twice";
    } catch (const postgres::sql_error& problem) {
        EXPECT_TRUE(problem.is_transient());
        EXPECT_EQ(problem.sqlstate(), "55P03");
        EXPECT_THAT(problem.what(), HasSubstr("claim messages in the inbox"));
    }
}

TEST_F(Breaking, by_a_statement_that_takes_too_long_is_not) {
    const auto impatient = started_store(database.url(), {.statement_timeout = std::chrono::milliseconds{20}});
    const auto work = impatient->work();
    try {
        transaction_of(*work).exec("select pg_sleep(10)");
        ADD_FAILURE() << "waited";
    } catch (const pqxx::sql_error& problem) {
        EXPECT_EQ(problem.sqlstate(), "57014");
        EXPECT_FALSE(store->is_transient(std::current_exception()));
    }
}

} // namespace
} // namespace ferry::testing
