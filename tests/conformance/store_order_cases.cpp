#include "store_suite.hpp"

#include <array>
#include <map>
#include <thread>

namespace ferry::testing {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

namespace {

constexpr std::string_view key = "customer-7";

/// A key other than `key` in the same shard.
std::string neighbour() {
    for (int i = 0;; ++i) {
        std::string candidate = "neighbour-" + std::to_string(i);
        if (shard_of(candidate) == shard_of(key)) {
            return candidate;
        }
    }
}

row_outcome failed(std::int64_t number, time_point next) {
    return {.number = number, .fate = row_fate::failed, .error = "nack", .next_attempt = next};
}

} // namespace

TEST_P(StoreSuite, takes_rows_with_a_partition_key_by_their_shard_only) { // B59
    commit({a_row("free"), a_keyed_row("ordered", key)});

    EXPECT_THAT(due(), ElementsAre("free"));
    EXPECT_THAT(shop().shards_due(noon), ElementsAre(shard_of(key).value()));
    EXPECT_THAT(due_in_shard_of(key), ElementsAre("ordered"));
}

TEST_P(StoreSuite, gives_a_shard_to_one_relay_at_a_time) { // B59
    commit({a_keyed_row("0", key), a_keyed_row("1", key)});
    const int shard = shard_of(key).value();

    auto first = shop().take_shard(shard, 1, noon);
    ASSERT_TRUE(first);
    EXPECT_EQ(peer().take_shard(shard, 1, noon), nullptr);
    EXPECT_EQ(shop().take_shard(shard, 1, noon), nullptr);
    EXPECT_NE(peer().take_shard((shard + 1) % outbox_shards, 1, noon), nullptr);
    first.reset();

    EXPECT_NE(peer().take_shard(shard, 1, noon), nullptr);
}

TEST_P(StoreSuite, frees_a_shard_when_its_batch_is_finished) { // B59
    const std::vector<std::int64_t> numbers = commit({a_keyed_row("0", key), a_keyed_row("1", key)});
    const auto first = shop().take_shard(shard_of(key).value(), 1, noon);
    ASSERT_TRUE(first);
    const row_outcome sent{.number = numbers[0]};
    first->finish({&sent, 1});

    const auto second = peer().take_shard(shard_of(key).value(), 10, noon);

    ASSERT_TRUE(second);
    EXPECT_THAT(bodies_of(*second), ElementsAre("1"));
}

TEST_P(StoreSuite, holds_back_what_is_behind_a_failed_row_of_its_key) { // B59
    const std::string other = neighbour();
    const std::vector<std::int64_t> numbers =
        commit({a_keyed_row("0", key), a_keyed_row("1", key), a_keyed_row("other", other), a_keyed_row("2", key)});
    const row_outcome outcome = failed(numbers[0], noon + 2s);
    shop().take_shard(shard_of(key).value(), 10, noon)->finish({&outcome, 1});

    EXPECT_THAT(due_in_shard_of(key, noon), ElementsAre("other"));
    EXPECT_THAT(due_in_shard_of(key, noon + 2s), ElementsAre("0", "1", "other", "2"));
}

TEST_P(StoreSuite, goes_on_with_a_key_whose_failed_row_was_sent_in_the_end) { // B59
    const std::vector<std::int64_t> numbers = commit({a_keyed_row("0", key), a_keyed_row("1", key)});
    row_outcome outcome = failed(numbers[0], noon + 2s);
    shop().finish({&outcome, 1});
    outcome = {.number = numbers[0]};
    shop().finish({&outcome, 1});

    EXPECT_THAT(due_in_shard_of(key), ElementsAre("1"));
}

TEST_P(StoreSuite, does_not_let_a_dead_row_hold_up_its_key) { // B53, B54, B59
    const std::vector<std::int64_t> numbers = commit({a_keyed_row("0", key), a_keyed_row("1", key)});
    const row_outcome dead{.number = numbers[0], .fate = row_fate::dead, .error = "no such queue"};

    shop().take_shard(shard_of(key).value(), 10, noon)->finish({&dead, 1});

    EXPECT_THAT(due_in_shard_of(key), ElementsAre("1"));
}

TEST_P(StoreSuite, names_only_shards_in_which_something_can_be_sent) { // B55, B59
    const std::vector<std::int64_t> numbers = commit({a_keyed_row("0", key), a_keyed_row("1", key)});
    const row_outcome outcome = failed(numbers[0], noon + 2s);
    shop().finish({&outcome, 1});

    EXPECT_THAT(shop().shards_due(noon), IsEmpty());
    EXPECT_THAT(shop().shards_due(noon + 2s), ElementsAre(shard_of(key).value()));
}

// A relay that sleeps until then would wake up for nothing, again and again.
TEST_P(StoreSuite, waits_for_the_first_row_of_a_key_not_for_those_behind_it) { // B55, B59
    const std::vector<std::int64_t> numbers = commit({a_keyed_row("0", key), a_keyed_row("1", key)});
    EXPECT_LE(shop().next_due().value(), noon);
    const row_outcome outcome = failed(numbers[0], noon + 2s);
    shop().finish({&outcome, 1});

    EXPECT_EQ(shop().next_due(), noon + 2s);
}

TEST_P(StoreSuite, sends_every_key_in_order_with_many_relays_and_failures) { // B59
    constexpr int keys = 5;
    constexpr int rows_of_a_key = 20;
    std::vector<stored_message> rows;
    for (int i = 0; i < keys * rows_of_a_key; ++i) {
        rows.push_back(a_keyed_row(std::to_string(i / keys), "key-" + std::to_string(i % keys)));
    }
    commit(std::move(rows));
    watched<std::map<std::string, std::vector<std::string>>> sent;
    // Every third row fails once, and what is behind it in the batch is kept.
    const auto send = [&](const outbox_row& row) {
        if (row.number % 3 == 0 && row.attempts == 0) {
            return failed(row.number, noon);
        }
        sent.change([&](auto& all) { all[row.partition_key].emplace_back(unpacked(row.content).body.view()); });
        return row_outcome{.number = row.number};
    };
    const auto relay = [&](store& where) {
        while (where.count().pending > 0) {
            for (const int shard : where.shards_due(noon)) {
                const auto batch = where.take_shard(shard, 4, noon);
                std::map<std::string, bool> stuck;
                std::vector<row_outcome> outcomes;
                for (const outbox_row& row : batch ? batch->rows() : std::span<const outbox_row>{}) {
                    if (!stuck[row.partition_key]) {
                        outcomes.push_back(send(row));
                        stuck[row.partition_key] = outcomes.back().fate == row_fate::failed;
                    }
                }
                if (batch) {
                    batch->finish(outcomes);
                }
            }
        }
    };
    {
        const std::jthread first{[&] { relay(shop()); }};
        const std::jthread second{[&] { relay(peer()); }};
    }

    const auto all = sent.get();
    ASSERT_EQ(all.size(), static_cast<std::size_t>(keys));
    std::vector<std::string> in_order;
    for (int i = 0; i < rows_of_a_key; ++i) {
        in_order.push_back(std::to_string(i));
    }
    for (const auto& [each, bodies] : all) {
        EXPECT_EQ(bodies, in_order) << each;
    }
}

} // namespace ferry::testing
