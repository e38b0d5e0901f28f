#include "store_suite.hpp"

#include <atomic>
#include <thread>

namespace ferry::testing {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST_P(StoreSuite, moves_what_is_due_to_the_outbox_in_due_order) { // B80
    commit_scheduled({a_row_due("third", noon), a_row_due("first", noon - 2h), a_row_due("later", noon + 1ns),
                      a_row_due("second", noon - 1h), a_row_due("fourth", noon)});

    EXPECT_THAT(due(), IsEmpty());
    EXPECT_EQ(shop().promote_due(3, noon), 3U);
    EXPECT_THAT(due(), ElementsAre("first", "second", "third"));
    EXPECT_EQ(shop().promote_due(3, noon), 1U);
    EXPECT_EQ(shop().promote_due(3, noon), 0U);

    EXPECT_THAT(due(), ElementsAre("first", "second", "third", "fourth"));
    EXPECT_EQ(shop().count().scheduled, 1U);
}

// Else one that waited a week on the schedule would look as if it had been stuck in the outbox for a week.
TEST_P(StoreSuite, counts_the_age_of_a_scheduled_row_from_its_move_to_the_outbox) { // B67, B80
    commit_scheduled({stored_message::of(an_order(), noon - 7 * 24h, noon)});

    shop().promote_due(10, noon + 1s);

    EXPECT_EQ(shop().count().oldest, noon + 1s);
}

TEST_P(StoreSuite, moves_each_message_to_the_outbox_once_whoever_asks) { // B80
    constexpr int count = 100;
    std::vector<stored_message> rows;
    for (int i = 0; i < count; ++i) {
        rows.push_back(a_row(std::to_string(i)));
    }
    commit_scheduled(std::move(rows));
    std::atomic<std::size_t> moved = 0;
    const auto promote = [&](store& where) {
        while (where.count().scheduled > 0) {
            moved += where.promote_due(7, noon);
        }
    };
    {
        const std::jthread first{[&] { promote(shop()); }};
        const std::jthread second{[&] { promote(peer()); }};
    }

    EXPECT_EQ(moved, static_cast<std::size_t>(count));
    EXPECT_EQ(shop().count().pending, static_cast<std::size_t>(count));
}

TEST_P(StoreSuite, cancels_a_scheduled_message_once) { // B79
    const stored_message first = a_row_due("cancelled", noon + 1h);
    commit_scheduled({first, a_row_due("kept", noon + 1h)});

    EXPECT_TRUE(peer().cancel(first.id));
    EXPECT_FALSE(shop().cancel(first.id));

    EXPECT_EQ(shop().promote_due(10, noon + 1h), 1U);
    EXPECT_THAT(due(noon + 1h), ElementsAre("kept"));
}

TEST_P(StoreSuite, cancels_with_the_commit_of_a_unit) { // B79, B83
    const stored_message message = a_row_due("cancelled", noon + 1h);
    commit_scheduled({message});
    {
        const auto dropped = shop().work();
        EXPECT_TRUE(dropped->cancel(message.id));
        EXPECT_FALSE(dropped->cancel(message.id));
    }
    const auto work = shop().work();

    EXPECT_TRUE(work->cancel(message.id)) << "what was rolled back has not happened";

    EXPECT_EQ(peer().count().scheduled, 1U);
    work->commit();
    EXPECT_EQ(peer().count().scheduled, 0U);
    EXPECT_FALSE(shop().work()->cancel(message.id));
}

// As in a group, where one message schedules what a later one cancels.
TEST_P(StoreSuite, cancels_what_the_same_unit_has_scheduled) { // B75, B79
    const stored_message message = a_row_due("cancelled", noon + 1h);
    const auto work = shop().work();
    work->schedule(message);
    work->schedule(a_row_due("kept", noon + 1h));

    EXPECT_TRUE(work->cancel(message.id));
    EXPECT_FALSE(work->cancel(message.id));

    work->commit();
    EXPECT_EQ(shop().promote_due(10, noon + 1h), 1U);
    EXPECT_THAT(due(noon + 1h), ElementsAre("kept"));
}

TEST_P(StoreSuite, does_not_cancel_what_has_left_the_schedule) { // B79
    const stored_message message = a_row();
    commit_scheduled({message});
    shop().promote_due(10, noon);

    EXPECT_FALSE(shop().cancel(message.id));
    EXPECT_FALSE(shop().cancel(an_id(1)));

    EXPECT_THAT(due(), ElementsAre("hello"));
}

TEST_P(StoreSuite, schedules_with_the_commit_of_a_unit) { // B83
    const auto work = shop().work();
    work->begin();
    work->schedule(a_row_due("later", noon + 1h));
    EXPECT_EQ(peer().count().scheduled, 0U);

    EXPECT_THAT(work->commit(), IsEmpty()); // a place on the schedule has no number of the outbox

    EXPECT_EQ(peer().count().scheduled, 1U);
}

} // namespace ferry::testing
