#include "postgres_fixture.hpp"

#include <support/eventually.hpp>

#include <atomic>
#include <future>
#include <thread>

namespace ferry::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

std::int64_t connections(test_database& database) {
    return database.number("select count(*) from pg_stat_activity"
                           " where datname = current_database() and pid <> pg_backend_pid()");
}

bool claims_something(unit_of_work& work) {
    const inbox_claim claim{id_source{1}.next(noon), "billing"};
    bool fresh = false;
    work.claim({&claim, 1}, noon, {&fresh, 1});
    return fresh;
}

TEST(PostgresPool, makes_connections_when_they_are_needed_and_uses_them_again) {
    test_database database;
    const auto store = started_store(database.url());
    for (int i = 0; i < 10; ++i) {
        static_cast<void>(store->count());
    }
    EXPECT_TRUE(eventually([&] { return connections(database) == 1; })); // the one that made the tables has gone
    {
        const auto one = store->work();
        const auto two = store->work();
        EXPECT_EQ(connections(database), 3);
    }
    static_cast<void>(store->work());
    static_cast<void>(store->count());
    EXPECT_EQ(connections(database), 3);
}

TEST(PostgresPool, has_a_connection_for_each_slot_and_some_more) {
    test_database database;
    const auto store = started_store(database.url(), {.connection_wait = 1ms}, {.slots = 2});
    std::vector<std::unique_ptr<unit_of_work>> open;
    for (int i = 0; i < 4; ++i) {
        open.push_back(store->work());
    }
    EXPECT_THROW(open.push_back(store->work()), postgres::sql_error);
}

TEST(PostgresPool, has_connections_for_a_relay_that_no_handler_takes) { // B55
    test_database database;
    const auto store = started_store(database.url(), {.connection_wait = 1ms, .max_connections = 1});
    const auto handler = store->work();
    std::vector<std::unique_ptr<outbox_batch>> open;
    for (int i = 0; i < 4; ++i) {
        auto writer = started_store(database.url());
        const auto work = writer->work();
        work->append(a_message());
        work->commit();
        open.push_back(store->take(1, noon, 0));
        ASSERT_EQ(open.back()->rows().size(), 1U);
    }
    const row_outcome sent{.number = open.front()->rows().front().number};
    EXPECT_NO_THROW(store->finish({&sent, 1})) << "beside three batches and a shard";
}

TEST(PostgresPool, says_what_to_do_when_all_connections_are_in_use_for_too_long) { // B77
    test_database database;
    const auto store = started_store(database.url(), {.connection_wait = 1ms, .max_connections = 1});
    const auto holder = store->work();
    try {
        static_cast<void>(store->work());
        ADD_FAILURE() << "a second one of one";
    } catch (const postgres::sql_error& problem) {
        EXPECT_TRUE(problem.is_transient());
        EXPECT_THAT(problem.what(), HasSubstr("max_connections"));
    }
}

TEST(PostgresPool, lets_who_waits_have_the_first_that_is_free) {
    test_database database;
    const auto store = started_store(database.url(), {.max_connections = 1});
    auto holder = store->work();
    auto waiting = std::async(std::launch::async, [&] { return claims_something(*store->work()); });
    holder.reset();
    EXPECT_TRUE(waiting.get());
}

// Whoever gives a connection back has nothing more to do with it.
TEST(PostgresPool, lets_many_threads_share_one_connection) {
    test_database database;
    const auto store = started_store(database.url(), {.max_connections = 1});
    std::atomic<int> done = 0;
    {
        std::vector<std::jthread> relays;
        for (int i = 0; i < 4; ++i) {
            relays.emplace_back([&] {
                for (int round = 0; round < 250; ++round) {
                    const auto work = store->work();
                    work->append(a_message());
                    work->commit();
                    const auto batch = store->take(1, noon, round % 2 == 0 ? 0 : 1'000'000);
                    const row_outcome sent{.number = batch->rows().empty() ? 0 : batch->rows().front().number};
                    batch->finish({&sent, 1});
                    ++done;
                }
            });
        }
    }
    EXPECT_EQ(done, 1000);
    EXPECT_EQ(store->count().pending, 500U);
}

TEST(PostgresPool, does_not_count_connections_that_could_not_be_made) {
    test_database database;
    const auto store = started_store(database.url(), {.connection_wait = 1ms, .max_connections = 2});
    EXPECT_GE(database.terminate_others(), 1);
    database.exec("update pg_database set datallowconn = false where datname = current_database()");
    for (int i = 0; i < 5; ++i) {
        EXPECT_THROW(static_cast<void>(store->work()), postgres::sql_error);
    }
    database.exec("update pg_database set datallowconn = true where datname = current_database()");
    EXPECT_EQ(store->count().pending, 0U);
}

} // namespace
} // namespace ferry::testing
