#include "store_suite.hpp"

#include <algorithm>
#include <array>
#include <future>
#include <set>
#include <thread>

namespace ferry::testing {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

namespace {

stored_message written_by_a_clock_ahead(std::string_view body, std::string_view partition_key = {}) {
    stored_message message = a_keyed_row(body, partition_key);
    message.created_at = message.due = noon + 1h;
    return message;
}

} // namespace

TEST_P(StoreSuite, takes_no_more_rows_than_were_asked_for) { // B56
    commit({a_row("0"), a_row("1"), a_row("2")});

    EXPECT_THAT(bodies_of(*shop().take(2, noon, 0)), ElementsAre("0", "1"));
    EXPECT_THAT(bodies_of(*shop().take(0, noon, 0)), IsEmpty());
}

TEST_P(StoreSuite, takes_no_more_bytes_than_it_may_when_rows_grow) { // B55
    const std::string large(outbox_batch_bytes / 4, 'x');
    const auto take_all = [&](auto&& take) {
        std::vector<std::size_t> sizes;
        while (true) {
            const auto batch = take();
            if (batch->rows().empty()) {
                return sizes;
            }
            sizes.push_back(batch->rows().size());
            std::vector<row_outcome> outcomes;
            for (const std::int64_t each : numbers_of(*batch)) {
                outcomes.push_back({.number = each});
            }
            batch->finish(outcomes);
        }
    };
    commit({a_row("small"), a_row(large), a_row(large), a_row(large), a_row(large), a_row(large), a_row("small")});
    EXPECT_THAT(take_all([&] { return shop().take(100, noon, 0); }), ElementsAre(5U, 2U));

    commit({a_keyed_row(large, "a"), a_keyed_row(large, "a"), a_keyed_row(large, "a"), a_keyed_row(large, "a"),
            a_keyed_row(large, "a")});
    EXPECT_THAT(take_all([&] { return shop().take_shard(*shard_of("a"), 100, noon); }), ElementsAre(4U, 1U));
}

TEST_P(StoreSuite, takes_rows_that_failed_among_others) { // B53, B56
    const std::vector<std::int64_t> numbers = commit({a_row("0"), a_row("1"), a_row("2"), a_row("3")});
    const row_outcome failed{
        .number = numbers[2], .fate = row_fate::failed, .error = "nack", .next_attempt = noon + 1s};
    shop().finish({&failed, 1});

    EXPECT_THAT(due(noon), ElementsAre("0", "1", "3"));
    EXPECT_THAT(due(noon + 1s), UnorderedElementsAre("0", "1", "2", "3"));
    EXPECT_EQ(shop().take(3, noon + 1s, 0)->rows().size(), 3U);
    EXPECT_EQ(shop().take(1, noon + 1s, 0)->rows().size(), 1U);
}

TEST_P(StoreSuite, takes_rows_behind_a_number) { // B56
    const std::vector<std::int64_t> numbers = commit({a_row("0"), a_row("1"), a_row("2")});

    EXPECT_THAT(bodies_of(*shop().take(10, noon, numbers[0])), ElementsAre("1", "2"));
    EXPECT_THAT(bodies_of(*shop().take(10, noon, numbers[2])), IsEmpty());
}

TEST_P(StoreSuite, takes_no_row_before_it_is_due) { // B53
    commit({a_row_due("later", noon + 1ns), a_row_due("now", noon), a_row_due("long ago", noon - 1h)});

    EXPECT_THAT(due(noon), ElementsAre("now", "long ago"));
    EXPECT_THAT(due(noon + 1ns), ElementsAre("later", "now", "long ago"));
}

// Of another machine, or of this one before it was set back.
TEST_P(StoreSuite, takes_what_was_due_when_it_was_written_whatever_the_clock_says) { // B51, B59
    commit({written_by_a_clock_ahead("free"), written_by_a_clock_ahead("0", "customer-7"),
            a_keyed_row("1", "customer-7")});
    commit_scheduled({stored_message::of(an_order("scheduled"), noon, noon + 1h)});
    shop().promote_due(10, noon + 1h);

    EXPECT_THAT(due(noon), ElementsAre("free", "scheduled"));
    EXPECT_THAT(shop().shards_due(noon), ElementsAre(*shard_of("customer-7")));
    EXPECT_THAT(due_in_shard_of("customer-7", noon), ElementsAre("0", "1"));
}

TEST_P(StoreSuite, waits_for_the_next_attempt_though_the_clock_of_the_writer_was_ahead) { // B52
    const std::vector<std::int64_t> numbers =
        commit({written_by_a_clock_ahead("failed"), written_by_a_clock_ahead("late"),
                written_by_a_clock_ahead("keyed", "customer-7")});
    const std::array outcomes{
        row_outcome{.number = numbers[0], .fate = row_fate::failed, .error = "nack", .next_attempt = noon + 2s},
        row_outcome{.number = numbers[1], .fate = row_fate::postponed, .next_attempt = noon + 2s},
        row_outcome{.number = numbers[2], .fate = row_fate::failed, .error = "nack", .next_attempt = noon + 2s}};

    shop().finish(outcomes);

    EXPECT_THAT(due(noon + 1s), IsEmpty());
    EXPECT_THAT(shop().shards_due(noon + 1s), IsEmpty());
    EXPECT_EQ(shop().next_due(), noon + 2s);
    EXPECT_THAT(due(noon + 2s), UnorderedElementsAre("failed", "late"));
    EXPECT_THAT(due_in_shard_of("customer-7", noon + 2s), ElementsAre("keyed"));
}

TEST_P(StoreSuite, passes_over_rows_another_relay_has_taken) { // B56
    commit({a_row("0"), a_row("1"), a_row("2"), a_row("3")});

    const auto first = shop().take(2, noon, 0);
    const auto second = peer().take(10, noon, 0);
    const auto third = shop().take(10, noon, 0);

    EXPECT_THAT(bodies_of(*first), ElementsAre("0", "1"));
    EXPECT_THAT(bodies_of(*second), ElementsAre("2", "3"));
    EXPECT_THAT(bodies_of(*third), IsEmpty());
}

TEST_P(StoreSuite, frees_the_rows_of_a_batch_that_was_dropped) { // B58
    commit({a_row("0"), a_row("1")});
    { const auto dropped = shop().take(10, noon, 0); }

    const auto again = peer().take(10, noon, 0);

    EXPECT_THAT(bodies_of(*again), ElementsAre("0", "1"));
    EXPECT_EQ(again->rows().front().attempts, 0);
}

TEST_P(StoreSuite, deletes_exactly_what_was_sent) { // B52, B53
    const std::vector<std::int64_t> numbers =
        commit({a_row("sent"), a_row("failed"), a_row("kept"), a_row("not named"), a_row("sent too")});
    const std::array outcomes{
        row_outcome{.number = numbers[0]},
        row_outcome{.number = numbers[1], .fate = row_fate::failed, .error = "no confirm", .next_attempt = noon + 2s},
        row_outcome{.number = numbers[2], .fate = row_fate::kept}, row_outcome{.number = numbers[4]}};

    shop().take(10, noon, 0)->finish(outcomes);

    EXPECT_THAT(due(noon), ElementsAre("kept", "not named"));
    EXPECT_THAT(due(noon + 2s), ElementsAre("failed", "kept", "not named"));
    EXPECT_EQ(shop().count().pending, 3U);
}

TEST_P(StoreSuite, frees_rows_when_their_batch_is_finished) { // B56
    commit({a_row("0"), a_row("1")});
    const auto batch = shop().take(10, noon, 0);

    batch->finish({});

    EXPECT_THAT(bodies_of(*peer().take(10, noon, 0)), ElementsAre("0", "1"));
}

TEST_P(StoreSuite, counts_the_attempts_that_failed) { // B52
    const std::int64_t number = commit({a_row()}).front();
    for (int attempt = 0; attempt < 3; ++attempt) {
        const time_point now = noon + attempt * 1s;
        const auto batch = shop().take(1, now, 0);
        ASSERT_EQ(batch->rows().size(), 1U);
        EXPECT_EQ(batch->rows().front().attempts, attempt);
        const row_outcome failed{.number = number, .fate = row_fate::failed, .error = "nack", .next_attempt = now + 1s};
        batch->finish({&failed, 1});
    }

    EXPECT_THAT(due(noon + 2s), IsEmpty());
    EXPECT_THAT(due(noon + 3s), ElementsAre("hello"));
}

TEST_P(StoreSuite, postpones_a_row_without_counting_an_attempt) { // B52, B53
    const std::int64_t number = commit({a_row("late"), a_row("other")}).front();
    const row_outcome failed{.number = number, .fate = row_fate::failed, .error = "nack", .next_attempt = noon + 1s};
    const row_outcome postponed{.number = number, .fate = row_fate::postponed, .next_attempt = noon + 30s};
    shop().take(1, noon, 0)->finish({&failed, 1});

    shop().take(10, noon + 1s, 0)->finish({&postponed, 1});

    EXPECT_THAT(due(noon + 29s), ElementsAre("other"));
    const auto batch = shop().take(10, noon + 30s, 0);
    EXPECT_THAT(bodies_of(*batch), ElementsAre("late", "other"));
    EXPECT_EQ(batch->rows().front().attempts, 1);
}

TEST_P(StoreSuite, settles_rows_that_nobody_has_taken) { // B62
    const std::vector<std::int64_t> numbers = commit({a_row("0"), a_row("1"), a_row("2")});
    const std::array outcomes{
        row_outcome{.number = numbers[0]},
        row_outcome{.number = numbers[1], .fate = row_fate::failed, .error = "nack", .next_attempt = noon + 2s}};

    shop().finish(outcomes);

    EXPECT_THAT(due(noon), ElementsAre("2"));
    EXPECT_EQ(shop().take(1, noon + 2s, 0)->rows().front().attempts, 1);
}

TEST_P(StoreSuite, settles_rows_from_memory_without_waiting_for_a_relay_that_has_them) { // B62
    const std::vector<std::int64_t> numbers = commit({a_row("0"), a_row("1")});
    auto batch = peer().take(10, noon, 0); // their grace was over before the broker's answer came
    const std::array outcomes{
        row_outcome{.number = numbers[0]},
        row_outcome{.number = numbers[1], .fate = row_fate::failed, .error = "nack", .next_attempt = noon + 2s}};

    auto settling = std::async(std::launch::async, [&] { shop().finish(outcomes); });

    EXPECT_EQ(settling.wait_for(longest_wait), std::future_status::ready);
    batch.reset();
    settling.get();
    shop().finish(outcomes);
    EXPECT_THAT(due(noon), IsEmpty());
    EXPECT_THAT(due(noon + 2s), ElementsAre("1"));
}

TEST_P(StoreSuite, does_not_mind_outcomes_of_rows_that_are_gone) { // B52
    const std::int64_t number = commit({a_row("0"), a_row("1")}).front();
    const row_outcome sent{.number = number};
    shop().finish({&sent, 1});

    shop().finish({&sent, 1});
    const row_outcome failed{.number = number, .fate = row_fate::failed, .error = "nack", .next_attempt = noon};
    shop().finish({&failed, 1});
    shop().finish({});

    EXPECT_THAT(due(), ElementsAre("1"));
}

TEST_P(StoreSuite, gives_each_row_to_one_of_many_relays) { // B56
    constexpr int count = 300;
    std::vector<stored_message> rows;
    for (int i = 0; i < count; ++i) {
        rows.push_back(a_row(std::to_string(i)));
    }
    commit(std::move(rows));
    watched<std::multiset<std::int64_t>> sent;
    const auto relay = [&](store& where) {
        while (where.count().pending > 0) {
            const auto batch = where.take(7, noon, 0);
            std::vector<row_outcome> outcomes;
            for (const std::int64_t each : numbers_of(*batch)) {
                outcomes.push_back({.number = each});
                sent.change([each](auto& all) { all.insert(each); });
            }
            batch->finish(outcomes);
        }
    };
    {
        const std::jthread first{[&] { relay(shop()); }};
        const std::jthread second{[&] { relay(peer()); }};
        const std::jthread third{[&] { relay(peer()); }};
    }

    const std::multiset<std::int64_t> all = sent.get();
    EXPECT_EQ(all.size(), static_cast<std::size_t>(count));
    EXPECT_EQ(std::set(all.begin(), all.end()).size(), static_cast<std::size_t>(count));
}

TEST_P(StoreSuite, lets_units_of_work_commit_while_a_batch_is_on_its_way) { // B56
    commit({a_row("0")});
    const auto batch = shop().take(10, noon, 0);

    commit({a_row("1")});

    EXPECT_THAT(due(), ElementsAre("1"));
    const row_outcome sent{.number = batch->rows().front().number};
    batch->finish({&sent, 1});
    EXPECT_EQ(shop().count().pending, 1U);
}

TEST_P(StoreSuite, knows_when_the_next_row_is_due) { // B51, B55
    EXPECT_EQ(shop().next_due(), std::nullopt);

    commit_scheduled({a_row_due("scheduled", noon + 3h)});
    EXPECT_EQ(shop().next_due(), noon + 3h);

    const std::int64_t number = commit({a_row_due("outgoing", noon + 2h), a_row_due("later", noon + 4h)}).front();
    EXPECT_EQ(peer().next_due(), noon + 2h);

    const row_outcome dead{.number = number, .fate = row_fate::dead, .error = "given up"};
    shop().finish({&dead, 1});
    EXPECT_EQ(shop().next_due(), noon + 3h);
}

TEST_P(StoreSuite, counts_what_waits) { // B67
    EXPECT_EQ(shop().count().pending, 0U);
    EXPECT_EQ(shop().count().oldest, std::nullopt);

    const stored_message old = stored_message::of(an_order(), noon - 1h, noon);
    const std::int64_t first = commit({old, a_row(), a_keyed_row("keyed", "customer-7")}).front();
    commit_scheduled({a_row_due("later", noon + 1h), a_row_due("later", noon + 1h)});
    store_counts counts = peer().count();
    EXPECT_EQ(counts.pending, 3U);
    EXPECT_EQ(counts.dead, 0U);
    EXPECT_EQ(counts.scheduled, 2U);
    EXPECT_EQ(counts.oldest, noon - 1h);

    const row_outcome dead{.number = first, .fate = row_fate::dead, .error = "given up"};
    shop().finish({&dead, 1});
    counts = shop().count();
    EXPECT_EQ(counts.pending, 2U);
    EXPECT_EQ(counts.dead, 1U);
    EXPECT_EQ(counts.oldest, noon);
}

} // namespace ferry::testing
