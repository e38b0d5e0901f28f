#include "postgres_fixture.hpp"

#include <support/eventually.hpp>

namespace ferry::testing {
namespace {

/// Two processes, as far as a database can tell.
class Notifying : public ::testing::Test {
protected:
    [[nodiscard]] store_host host_that_counts(watched<int>& arrivals) {
        return {.slots = 2, .rows_arrived = [&] { arrivals.change([](int& count) { ++count; }); }};
    }
    void commit(postgres::store& where) {
        const auto work = where.work();
        work->append(a_message());
        work->commit();
    }
    /// A listener says so once when it begins, since rows may have come before.
    void await_both() {
        ASSERT_TRUE(at_shop.eventually([](int count) { return count == 1; }));
        ASSERT_TRUE(at_billing.eventually([](int count) { return count == 1; }));
    }

    test_database database;
    watched<int> at_shop;
    watched<int> at_billing;
    std::unique_ptr<postgres::store> shop = started_store(database.url(), {.notify = true}, host_that_counts(at_shop));
    std::unique_ptr<postgres::store> billing =
        started_store(database.url(), {.notify = true}, host_that_counts(at_billing));
};

TEST_F(Notifying, wakes_other_processes_and_not_the_own) { // B51
    await_both();

    commit(*shop);

    EXPECT_TRUE(at_billing.eventually([](int count) { return count == 2; }));
    commit(*billing);
    EXPECT_TRUE(at_shop.eventually([](int count) { return count == 2; }));
    EXPECT_EQ(at_billing.get(), 2); // nobody has told it of its own rows
}

TEST_F(Notifying, tells_of_what_is_scheduled_too) { // B80
    await_both();
    const auto work = shop->work();
    work->schedule(a_message());
    work->commit();
    EXPECT_TRUE(at_billing.eventually([](int count) { return count == 2; }));
}

TEST_F(Notifying, says_its_last_word_before_it_stops) { // B51
    await_both();
    commit(*shop);
    ASSERT_TRUE(at_billing.eventually([](int count) { return count == 2; }));
    commit(*shop); // and would be silent for the rest of 50 ms
    shop->stop();
    EXPECT_TRUE(at_billing.eventually([](int count) { return count == 3; }));
}

TEST_F(Notifying, is_one_word_for_many_commits) { // B51
    await_both();
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < 200; ++i) {
        commit(*shop);
    }
    ASSERT_TRUE(at_billing.eventually([](int count) { return count > 1; }));

    const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin);
    EXPECT_LE(at_billing.get() - 1, 2 + took.count() / 50);
}

TEST_F(Notifying, listens_again_after_its_connection_was_lost) { // B51, B77
    await_both();
    EXPECT_GE(database.terminate_others(), 2);

    ASSERT_TRUE(at_shop.eventually([](int count) { return count == 2; })); // connected again, rows may have come
    ASSERT_TRUE(at_billing.eventually([](int count) { return count == 2; }));
    commit(*shop);
    EXPECT_TRUE(at_billing.eventually([](int count) { return count == 3; }));
}

} // namespace
} // namespace ferry::testing
