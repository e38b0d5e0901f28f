#include "store_suite.hpp"

namespace ferry::testing {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST_P(StoreSuite, has_the_rows_of_a_unit_after_its_commit_and_not_before) { // B50
    const auto work = shop().work();
    work->begin();
    harness().write(*work);
    work->append(a_row("first"));
    work->append(a_row("second"));

    EXPECT_EQ(peer().count().pending, 0U);
    EXPECT_EQ(harness().rows_of_the_application(), 0U);

    work->commit();

    EXPECT_THAT(due(), ElementsAre("first", "second"));
    EXPECT_EQ(harness().rows_of_the_application(), 1U);
}

TEST_P(StoreSuite, has_nothing_of_a_unit_that_was_dropped) { // B50, B83
    {
        const auto work = shop().work();
        work->begin();
        harness().write(*work);
        work->append(a_row());
        work->schedule(a_row_due("later", noon + 1h));
    }

    EXPECT_THAT(due(), IsEmpty());
    EXPECT_EQ(shop().count().scheduled, 0U);
    EXPECT_EQ(harness().rows_of_the_application(), 0U);
}

TEST_P(StoreSuite, numbers_the_rows_of_a_unit_in_their_order) { // B59
    const std::vector<std::int64_t> first = commit({a_row("0"), a_row("1"), a_row("2")});
    const std::vector<std::int64_t> second = commit({a_row("3"), a_row("4")});

    ASSERT_EQ(first.size(), 3U);
    ASSERT_EQ(second.size(), 2U);
    std::vector<std::int64_t> all = first;
    all.insert(all.end(), second.begin(), second.end());
    EXPECT_TRUE(std::ranges::is_sorted(all, std::less_equal{}) && all.front() > 0);
    const auto batch = shop().take(10, noon, 0);
    EXPECT_THAT(bodies_of(*batch), ElementsAre("0", "1", "2", "3", "4"));
    EXPECT_EQ(numbers_of(*batch), all);
}

TEST_P(StoreSuite, does_not_use_the_number_of_a_row_again) { // B52
    const std::int64_t first = commit({a_row()}).front();
    const row_outcome sent{.number = first};
    shop().finish({&sent, 1});

    EXPECT_GT(commit({a_row()}).front(), first);
}

TEST_P(StoreSuite, commits_a_unit_that_only_writes_for_the_application) { // B70
    const auto work = shop().work();
    work->begin();
    work->begin();
    harness().write(*work);

    EXPECT_THAT(work->commit(), IsEmpty());

    EXPECT_EQ(harness().rows_of_the_application(), 1U);
}

TEST_P(StoreSuite, commits_a_unit_in_which_nothing_happened) {
    EXPECT_THAT(shop().work()->commit(), IsEmpty());
    EXPECT_EQ(shop().count().pending, 0U);
}

TEST_P(StoreSuite, keeps_nothing_of_a_unit_whose_commit_fails) { // B74
    const inbox_claim claim{an_id(1), "billing"};
    {
        const auto work = shop().work();
        bool fresh = false;
        work->claim({&claim, 1}, noon, {&fresh, 1});
        harness().write(*work);
        work->append(a_row());
        work->schedule(a_row_due("later", noon + 1h));
        harness().doom(*work);

        EXPECT_THROW(work->commit(), std::exception);
    }

    EXPECT_THAT(due(), IsEmpty());
    EXPECT_EQ(shop().count().scheduled, 0U);
    EXPECT_EQ(harness().rows_of_the_application(), 0U);
    EXPECT_TRUE(claims(shop(), claim.message));
}

TEST_P(StoreSuite, keeps_nothing_of_a_unit_whose_rows_cannot_be_written) { // B74
    harness().drop_outbox();
    {
        const auto work = shop().work();
        work->begin();
        harness().write(*work);
        work->append(a_row());

        EXPECT_THROW(work->commit(), store_error);
    }

    EXPECT_EQ(harness().rows_of_the_application(), 0U);
    EXPECT_TRUE(claims(shop(), an_id(1))); // and goes on working
}

TEST_P(StoreSuite, lends_its_transaction_to_handlers_that_know_its_type) {
    const auto work = shop().work();
    work->begin();

    EXPECT_NE(work->native(harness().native_type()), nullptr);
    EXPECT_EQ(work->native(typeid(int)), nullptr);
    EXPECT_FALSE(work->native_names().empty());
}

TEST_P(StoreSuite, keeps_what_was_committed_when_it_is_stopped) { // B76
    commit({a_row("kept")});
    commit_scheduled({a_row_due("later", noon + 1h)});
    EXPECT_TRUE(claims(shop(), an_id(1)));

    shop().stop();
    shop().start({.slots = 4});

    EXPECT_THAT(due(), ElementsAre("kept"));
    EXPECT_EQ(shop().count().scheduled, 1U);
    EXPECT_FALSE(claims(shop(), an_id(1)));
}

TEST_P(StoreSuite, says_of_its_own_errors_which_may_pass) { // B77
    EXPECT_TRUE(shop().is_transient(std::make_exception_ptr(store_error{"lost", true})));
    EXPECT_FALSE(shop().is_transient(std::make_exception_ptr(store_error{"wrong"})));
    EXPECT_FALSE(shop().is_transient(std::make_exception_ptr(schema_error{"missing"})));
    EXPECT_FALSE(shop().is_transient(std::make_exception_ptr(std::runtime_error{"the handler's own"})));
    EXPECT_FALSE(shop().is_transient(std::make_exception_ptr(42)));
}

} // namespace ferry::testing
