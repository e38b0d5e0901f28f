#include "postgres_fixture.hpp"

#include <support/eventually.hpp>

#include <atomic>
#include <latch>
#include <thread>

namespace ferry::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

std::string complaint_of(const std::string& url, const postgres::store_options& options = {}) {
    postgres::store store{url, options};
    try {
        store.start({});
    } catch (const schema_error& problem) {
        return problem.what();
    }
    return "none";
}

TEST(PostgresSchema, tells_what_to_do_when_it_is_missing_older_or_newer) { // B78
    test_database database;
    EXPECT_THAT(complaint_of(database.url()),
                AllOf(HasSubstr("missing"), HasSubstr("\"ferry\""), HasSubstr(database.name()),
                      HasSubstr("ensure_schema"), HasSubstr("share/ferry/postgres")));

    postgres::store{database.url()}.ensure_schema();
    EXPECT_EQ(complaint_of(database.url()), "none");

    database.exec("update ferry.schema_version set version = 0");
    EXPECT_THAT(complaint_of(database.url()), HasSubstr("ensure_schema"));
    database.exec("update ferry.schema_version set version = 7");
    EXPECT_THAT(complaint_of(database.url()), AllOf(HasSubstr("newer"), HasSubstr("update this service")));
    EXPECT_THROW(postgres::store{database.url()}.ensure_schema(), schema_error);
}

TEST(PostgresSchema, is_made_once_by_eight_services_that_start_together) { // B78
    test_database database;
    constexpr int services = 8;
    std::latch together{services};
    std::atomic<int> started = 0;
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < services; ++i) {
            threads.emplace_back([&] {
                together.arrive_and_wait();
                started += started_store(database.url()) != nullptr ? 1 : 0;
            });
        }
    }
    EXPECT_EQ(started, services);
    EXPECT_EQ(database.number("select count(*) from ferry.schema_version"), 1);
}

TEST(PostgresSchema, can_have_any_name_and_be_shared_by_services_with_a_prefix_each) {
    test_database database;
    const postgres::store_options billing_tables{.schema = "Bus \"of\" ours", .table_prefix = "billing_"};
    const auto billing = started_store(database.url(), billing_tables);
    const auto shipping = started_store(database.url(), {.schema = "Bus \"of\" ours", .table_prefix = "shipping "});
    const auto work = billing->work();
    work->append(a_message("of billing", "customer-7"));
    work->schedule(a_message("later"));
    work->commit();

    EXPECT_EQ(billing->count().pending, 1U);
    EXPECT_EQ(billing->count().scheduled, 1U);
    EXPECT_EQ(shipping->count().pending, 0U);
    const auto shard = billing->take_shard(shard_of("customer-7").value(), 10, noon);
    EXPECT_THAT(bodies_of(*shard), ::testing::ElementsAre("of billing"));
    EXPECT_NE(shipping->take_shard(shard_of("customer-7").value(), 10, noon), nullptr); // its shards are others
}

TEST(PostgresSchema, is_not_touched_by_a_service_that_may_not_create_anything) { // B78
    test_database database;
    postgres::store{database.url()}.ensure_schema();
    database.exec("drop role if exists modest_service");
    database.exec("create role modest_service login");
    database.exec("grant usage on schema ferry to modest_service");
    database.exec("grant select, insert, update, delete on all tables in schema ferry to modest_service");
    const std::string url = "postgresql://modest_service@" + postgres_address() + "/" + database.name();

    {
        const auto store = started_store(url); // ensure_schema has nothing to do
        const auto work = store->work();
        work->append(a_message());
        EXPECT_EQ(work->commit().size(), 1U);
        const auto batch = store->take(10, noon, 0);
        const row_outcome sent{.number = batch->rows().front().number};
        batch->finish({&sent, 1});
        EXPECT_EQ(store->promote_due(10, noon), 0U);
    }
    database.exec("drop owned by modest_service; drop role modest_service");
}

TEST(PostgresSchema, has_no_index_that_nobody_uses) {
    test_database database;
    postgres::store{database.url()}.ensure_schema();
    std::vector<std::string> names;
    for (const auto& [name] :
         database.exec("select indexname from pg_indexes where schemaname = 'ferry'").iter<std::string>()) {
        names.push_back(name);
    }
    // Each of these is looked for in a plan below, or keeps something unique.
    EXPECT_THAT(names, UnorderedElementsAre("schema_version_pkey", "outbox_pkey", "outbox_pending", "outbox_shards",
                                            "outbox_postponed", "outbox_blocking", "outbox_dead", "inbox_pkey",
                                            "inbox_age", "schedule_pkey", "schedule_due"));
}

} // namespace
} // namespace ferry::testing
