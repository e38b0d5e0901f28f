#include "postgres_fixture.hpp"

#include <array>

namespace ferry::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class PostgresOutbox : public PostgresTest {
protected:
    void fail(std::int64_t number, time_point next) const {
        const row_outcome outcome{.number = number, .fate = row_fate::failed, .error = "nack", .next_attempt = next};
        store->finish({&outcome, 1});
    }

    const int shard = shard_of("customer-7").value();
};

TEST_F(PostgresOutbox, does_not_call_a_shard_due_whose_rows_wait_for_an_earlier_one) { // B55, B59
    const auto numbers = commit({a_message("0", "customer-7"), a_message("1", "customer-7")});
    fail(numbers[0], noon + 10s);

    EXPECT_THAT(store->shards_due(noon), IsEmpty());
    EXPECT_EQ(store->next_due(), noon + 10s); // else a relay would ask again and again until then
    EXPECT_THAT(store->shards_due(noon + 10s), ElementsAre(shard));
    EXPECT_THAT(bodies_of(*store->take_shard(shard, 10, noon + 10s)), ElementsAre("0", "1"));
}

TEST_F(PostgresOutbox, does_not_call_a_postponed_row_due_that_waits_for_an_earlier_one) { // B55, B59
    const auto numbers = commit({a_message("0", "customer-7"), a_message("1", "customer-7")});
    fail(numbers[1], noon + 5s);
    fail(numbers[0], noon + 10s);

    EXPECT_EQ(store->next_due(), noon + 10s);
    EXPECT_THAT(store->shards_due(noon + 7s), IsEmpty());
}

TEST_F(PostgresOutbox, keeps_an_error_text_that_is_no_text) { // B52
    const auto numbers = commit({a_message(), a_message()});
    const std::array outcomes{
        row_outcome{.number = numbers[0], .fate = row_fate::dead, .error = std::string("\0\xff", 2)},
        row_outcome{.number = numbers[1]}};
    store->finish(outcomes);

    const auto dead = store->dead({});
    ASSERT_EQ(dead.size(), 1U);
    EXPECT_EQ(dead.front().error, "??");
    EXPECT_EQ(store->count().pending, 0U);
}

TEST_F(PostgresOutbox, schedules_the_same_message_for_two_queues) { // B34
    const stored_message message = a_message("again");
    const auto work = store->work();
    work->schedule(message);
    work->schedule(message);
    work->commit();
    EXPECT_EQ(store->count().scheduled, 2U);

    EXPECT_TRUE(store->cancel(message.id));
    EXPECT_EQ(store->count().scheduled, 0U);
}

TEST_F(PostgresOutbox, passes_over_scheduled_messages_that_another_is_moving) { // B80
    const auto work = store->work();
    work->schedule(a_message("0"));
    work->schedule(a_message("1"));
    work->commit();
    pqxx::connection other{database.url()};
    pqxx::work moving{other};
    moving.exec("select from ferry.schedule order by due_at, number limit 1 for update");

    EXPECT_EQ(store->promote_due(10, noon), 1U);
    EXPECT_THAT(bodies_of(*store->take(10, noon, 0)), ElementsAre("1"));
}

TEST_F(PostgresOutbox, sees_what_the_last_relay_of_a_shard_did_to_it) { // B59
    const auto numbers = commit({a_message("0", "customer-7"), a_message("1", "customer-7")});
    const auto first = store->take_shard(shard, 1, noon);
    ASSERT_TRUE(first);
    EXPECT_EQ(store->take_shard(shard, 10, noon), nullptr);
    const row_outcome failed{
        .number = numbers[0], .fate = row_fate::failed, .error = "nack", .next_attempt = noon + 5s};
    first->finish({&failed, 1});

    EXPECT_THAT(bodies_of(*store->take_shard(shard, 10, noon)), IsEmpty());
}

} // namespace
} // namespace ferry::testing
