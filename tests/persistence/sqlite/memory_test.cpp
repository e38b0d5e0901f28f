#include "sqlite_support.hpp"

#include <support/eventually.hpp>

#include <array>
#include <thread>

namespace ferry::testing {

TEST(SqliteInMemory, does_what_a_file_does) {
    sqlite::store store{":memory:"};
    store.start({});
    const auto work = store.work();
    const inbox_claim claim{a_row().id, "billing"};
    bool fresh = false;
    work->claim({&claim, 1}, noon, {&fresh, 1});
    work->append(a_row("now"));
    work->schedule(a_row("later", noon + 1h));
    const std::int64_t number = work->commit().front();

    EXPECT_TRUE(fresh);
    EXPECT_EQ(store.promote_due(10, noon + 1h), 1U);
    const auto batch = store.take(10, noon + 1h, 0);
    ASSERT_EQ(batch->rows().size(), 2U);
    const row_outcome sent{.number = number};
    batch->finish({&sent, 1});
    EXPECT_EQ(store.count().pending, 1U);
}

TEST(SqliteInMemory, keeps_tables_that_were_made_before_the_start) {
    sqlite::store store{":memory:", {.ensure_schema = false}};
    store.ensure_schema();
    store.start({});

    EXPECT_EQ(store.count().pending, 0U);
}

TEST(SqliteInMemory, is_a_database_of_each_stores_own) {
    sqlite::store first{":memory:"};
    sqlite::store second{":memory:"};
    first.start({});
    second.start({});

    commit_row(first, a_row());

    EXPECT_EQ(first.count().pending, 1U);
    EXPECT_EQ(second.count().pending, 0U);
}

TEST(SqliteInMemory, lets_others_look_between_units) {
    sqlite::store store{":memory:"};
    store.start({});
    watched<int> seen;
    auto work = store.work();
    work->append(a_row());
    work->begin();
    EXPECT_EQ(store.count().pending, 0U); // who has the unit may look at once
    const std::jthread relay{[&] {
        const std::size_t rows = store.take(10, noon, 0)->rows().size();
        seen.change([rows](int& count) { count = static_cast<int>(rows); });
    }};

    work->commit();

    EXPECT_TRUE(seen.eventually([](int count) { return count == 1; }));
}

TEST(SqliteInMemory, appends_in_the_transaction_of_a_unit) { // B65
    sqlite::store store{":memory:"};
    store.start({});
    const auto work = store.work();
    const std::array rows{a_row()};
    store.append_in(native_transaction_of<sqlite3>::of(*connection_of(*work)), rows, {});

    work->commit();

    EXPECT_EQ(store.count().pending, 1U);
}

TEST(SqliteInMemory, moves_to_where_it_is_started) {
    sqlite::store made{":memory:"};
    sqlite::store store{std::move(made)};
    store.start({});

    EXPECT_EQ(store.count().pending, 0U);
}

} // namespace ferry::testing
