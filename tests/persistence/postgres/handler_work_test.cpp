#include "postgres_fixture.hpp"

#include <array>
#include <future>

namespace ferry::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class HandlerWork : public PostgresTest {
protected:
    HandlerWork() { database.exec("create table orders (number int primary key)"); }

    [[nodiscard]] std::int64_t orders() { return database.number("select count(*) from orders"); }
    [[nodiscard]] std::int64_t claims_kept() { return database.number("select count(*) from ferry.inbox"); }

    const uuid message = id_source{7}.next(noon);
};

TEST_F(HandlerWork, commits_claim_writes_and_rows_together) { // B50, B70
    const auto work = store->work();
    ASSERT_TRUE(claims(*work, message));
    transaction_of(*work).exec("insert into orders values ($1)", pqxx::params{1});
    work->append(a_message());
    EXPECT_EQ(orders(), 0);
    EXPECT_EQ(store->count().pending, 0U);

    work->commit();

    EXPECT_EQ(orders(), 1);
    EXPECT_EQ(claims_kept(), 1);
    EXPECT_EQ(store->count().pending, 1U);
}

TEST_F(HandlerWork, is_a_pqxx_work_for_whoever_asks_for_one) {
    for (int number = 1; number <= 3; ++number) { // the first time in the middle, then from the beginning
        const auto work = store->work();
        ASSERT_TRUE(claims(*work, id_source{8}.next(noon + std::chrono::seconds{number})));
        pqxx::work& transaction = pqxx_work_of(*work);
        transaction.exec("insert into orders values ($1)", pqxx::params{number});
        EXPECT_EQ(work->native(typeid(pqxx::work*)), &transaction);
        EXPECT_EQ(&transaction_of(*work), &transaction);
        work->append(a_message());
        EXPECT_EQ(work->commit().size(), 1U);
    }
    EXPECT_EQ(orders(), 3);
    EXPECT_EQ(claims_kept(), 3);
    EXPECT_EQ(store->count().pending, 3U);
}

TEST_F(HandlerWork, rolls_back_as_a_pqxx_work_too) { // B70
    for (int round = 0; round < 2; ++round) {
        const auto work = store->work();
        ASSERT_TRUE(claims(*work, message));
        pqxx_work_of(*work).exec("insert into orders values (1)");
        work->append(a_message());
    }
    EXPECT_EQ(orders(), 0);
    EXPECT_EQ(claims_kept(), 0);
    EXPECT_EQ(store->count().pending, 0U);
}

TEST_F(HandlerWork, keeps_what_was_written_before_it_became_a_pqxx_work) {
    const auto work = store->work();
    ASSERT_TRUE(claims(*work, message));
    transaction_of(*work).exec("insert into orders values (1)");
    pqxx_work_of(*work).exec("insert into orders values (2)");
    work->commit();

    EXPECT_EQ(orders(), 2);
    EXPECT_EQ(claims_kept(), 1);
}

TEST_F(HandlerWork, lets_the_server_notice_soon_that_its_machine_is_gone) { // B58 B77
    const auto work = store->work();
    work->begin();
    const auto setting = [&](const std::string& name) {
        return transaction_of(*work).query_value<int>("select setting::int from pg_settings where name = '" + name +
                                                      "'");
    };
    EXPECT_EQ(setting("tcp_keepalives_idle"), 15);
    EXPECT_EQ(setting("tcp_keepalives_interval"), 5);
    EXPECT_EQ(setting("tcp_keepalives_count"), 3);
    EXPECT_EQ(setting("tcp_user_timeout"), 60'000);
}

TEST_F(HandlerWork, lets_handlers_have_subtransactions) {
    const auto work = store->work();
    auto& transaction = *static_cast<pqxx::dbtransaction*>(work->native(typeid(pqxx::dbtransaction*)));
    transaction.exec("insert into orders values (1)");
    {
        pqxx::subtransaction attempt{transaction};
        EXPECT_THROW(attempt.exec("insert into orders values (1)"), pqxx::unique_violation);
    }
    transaction.exec("insert into orders values (2)");
    work->commit();

    EXPECT_EQ(orders(), 2);
}

TEST_F(HandlerWork, is_not_the_handlers_to_commit) {
    for (const bool as_work : {false, true}) {
        const auto work = store->work();
        ASSERT_TRUE(claims(*work, message));
        if (as_work) {
            pqxx_work_of(*work).exec("insert into orders values (1)");
            pqxx_work_of(*work).abort();
            EXPECT_THROW(work->commit(), std::exception);
        } else {
            transaction_of(*work).exec("insert into orders values (1)");
            EXPECT_THROW(transaction_of(*work).commit(), pqxx::usage_error);
            EXPECT_THROW(work->commit(), std::exception);
        }
    }
    EXPECT_EQ(orders(), 0);
    EXPECT_EQ(claims_kept(), 0);
}

TEST_F(HandlerWork, does_not_commit_behind_a_statement_whose_failure_was_swallowed) { // B74
    for (const std::type_info* type : {&typeid(pqxx::transaction_base*), &typeid(pqxx::work*)}) {
        const auto work = store->work();
        ASSERT_TRUE(claims(*work, message));
        auto& transaction = *static_cast<pqxx::transaction_base*>(work->native(*type));
        EXPECT_THROW(transaction.exec("insert into no_such_table values (1)"), pqxx::undefined_table);
        try {
            work->commit();
            ADD_FAILURE() << "committed";
        } catch (const postgres::sql_error& problem) {
            EXPECT_THAT(problem.what(), HasSubstr("nothing was committed"));
            EXPECT_FALSE(problem.is_transient());
        }
    }
    EXPECT_EQ(claims_kept(), 0);
}

TEST_F(HandlerWork, does_not_commit_what_the_handler_has_ended_itself) { // B74
    const auto work = store->work();
    transaction_of(*work).exec("insert into orders values (1)");
    transaction_of(*work).exec("rollback");
    work->append(a_message());

    EXPECT_THROW(work->commit(), std::exception);
    EXPECT_EQ(store->count().pending, 0U);
}

TEST_F(HandlerWork, goes_on_after_a_handler_that_discarded_everything) { // B77
    commit({a_message()});                                               // prepares what a commit needs
    {
        const auto work = store->work();
        ASSERT_TRUE(claims(*work, message));
        transaction_of(*work).exec("deallocate all");
        work->append(a_message());
        try {
            work->commit();
            ADD_FAILURE() << "committed";
        } catch (const postgres::sql_error& problem) {
            EXPECT_TRUE(problem.is_transient()) << problem.what();
        }
    }
    const auto work = store->work();
    EXPECT_TRUE(claims(*work, message));
    work->commit();
}

TEST_F(HandlerWork, claims_in_one_order_so_that_groups_do_not_deadlock) { // B71, B75
    id_source ids{9};
    const std::array ids_of_both{ids.next(noon), ids.next(noon)};
    const auto claim_in = [&](std::size_t first, unit_of_work& work) {
        const std::array both{inbox_claim{ids_of_both[first], "billing"},
                              inbox_claim{ids_of_both[1 - first], "billing"}};
        std::array<bool, 2> fresh{};
        work.claim(both, noon, fresh);
        return fresh[0] && fresh[1];
    };
    for (int round = 0; round < 20; ++round) {
        auto forwards = std::async(std::launch::async, [&] {
            const auto work = store->work();
            return claim_in(0, *work);
        });
        auto backwards = std::async(std::launch::async, [&] {
            const auto work = store->work();
            return claim_in(1, *work);
        });
        EXPECT_TRUE(forwards.get()); // rolled back by both
        EXPECT_TRUE(backwards.get());
    }
}

TEST_F(HandlerWork, writes_into_any_transaction_of_an_application) { // B65
    pqxx::connection own{database.url()};
    const std::vector<stored_message> outgoing{a_message("0"), a_message("1", "customer-7")};
    {
        pqxx::work transaction{own};
        store->append_in(native_transaction_of<pqxx::work>::of(transaction), outgoing, outgoing);
        transaction.commit();
    }
    {
        pqxx::work outer{own};
        pqxx::subtransaction inner{outer};
        store->append_in(native_transaction_of<pqxx::subtransaction>::of(inner), outgoing, {});
        EXPECT_TRUE(store->cancel_in(native_transaction_of<pqxx::subtransaction>::of(inner), outgoing[1].id));
        inner.commit();
        outer.commit();
    }
    const store_counts counts = store->count();
    EXPECT_EQ(counts.pending, 4U);
    EXPECT_EQ(counts.scheduled, 1U);
    EXPECT_THAT(bodies_of(*store->take(10, noon, 0)), ElementsAre("0", "0"));
}

TEST_F(HandlerWork, writes_more_messages_into_an_applications_transaction_than_one_statement_takes) { // B65
    pqxx::connection own{database.url()};
    pqxx::work transaction{own};
    std::vector<stored_message> outgoing;
    for (int i = 0; i < 8000; ++i) {
        outgoing.push_back(a_message(std::to_string(i)));
    }
    store->append_in(native_transaction_of<pqxx::work>::of(transaction), outgoing, {});
    transaction.commit();

    const auto batch = store->take(10'000, noon, 0);
    ASSERT_EQ(batch->rows().size(), 8000U);
    for (std::size_t i = 0; i < 8000; ++i) {
        ASSERT_EQ(body_of(batch->rows()[i]), std::to_string(i));
    }
}

} // namespace
} // namespace ferry::testing
