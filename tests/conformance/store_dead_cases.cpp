#include "store_suite.hpp"

namespace ferry::testing {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

namespace {

stored_message an_order_of(std::string_view type, std::string_view destination, std::string_view tenant) {
    envelope message = an_order(type);
    message.message_type = type;
    message.destination = address::queue(destination);
    message.tenant = tenant;
    return stored_message::of(message, noon, noon);
}

std::vector<std::int64_t> numbers_of(const std::vector<dead_message>& rows) {
    std::vector<std::int64_t> numbers;
    for (const dead_message& each : rows) {
        numbers.push_back(each.number);
    }
    return numbers;
}

} // namespace

TEST_P(StoreSuite, shows_what_was_given_up_and_sends_it_no_more) { // B54
    envelope message = an_order();
    message.tenant = "acme";
    const std::int64_t number = commit({stored_message::of(message, noon, noon)}).front();
    const row_outcome dead{.number = number, .fate = row_fate::dead, .error = "no such queue"};
    shop().take(1, noon, 0)->finish({&dead, 1});

    const std::vector<dead_message> rows = peer().dead({});

    EXPECT_THAT(due(noon + 24h), IsEmpty());
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0].number, number);
    EXPECT_EQ(rows[0].id, message.message_id);
    EXPECT_EQ(rows[0].destination, message.destination.to_string());
    EXPECT_EQ(rows[0].message_type, message.message_type);
    EXPECT_EQ(rows[0].tenant, "acme");
    EXPECT_EQ(rows[0].attempts, 1);
    EXPECT_EQ(rows[0].error, "no such queue");
    EXPECT_EQ(rows[0].created_at, noon);
    EXPECT_EQ(unpacked(rows[0].content), message);
}

TEST_P(StoreSuite, replays_a_dead_row_with_all_its_attempts_before_it) { // B54
    const std::int64_t first = commit_dead(a_row("0"));
    const std::int64_t second = commit_dead(a_row("1"));

    EXPECT_EQ(shop().replay({.number = first}, noon + 1h), 1U);
    EXPECT_EQ(shop().replay({.number = first}, noon + 1h), 0U);

    EXPECT_THAT(due(noon), IsEmpty());
    const auto batch = shop().take(10, noon + 1h, 0);
    EXPECT_THAT(bodies_of(*batch), ElementsAre("0"));
    EXPECT_EQ(batch->rows().front().attempts, 0);
    EXPECT_EQ(batch->rows().front().number, first);
    EXPECT_THAT(numbers_of(shop().dead({})), ElementsAre(second));
}

TEST_P(StoreSuite, finds_dead_rows_by_what_they_were) { // B54
    const std::int64_t a = commit_dead(an_order_of("placed", "billing", "acme"));
    const std::int64_t b = commit_dead(an_order_of("placed", "audit", "globex"));
    const std::int64_t c = commit_dead(an_order_of("shipped", "billing", "globex"));
    commit({an_order_of("placed", "billing", "acme")});

    EXPECT_THAT(numbers_of(shop().dead({})), ElementsAre(a, b, c));
    EXPECT_THAT(numbers_of(shop().dead({.destination = "queue:billing"})), ElementsAre(a, c));
    EXPECT_THAT(numbers_of(shop().dead({.message_type = "placed"})), ElementsAre(a, b));
    EXPECT_THAT(numbers_of(shop().dead({.tenant = "globex"})), ElementsAre(b, c));
    EXPECT_THAT(numbers_of(shop().dead({.message_type = "placed", .tenant = "globex"})), ElementsAre(b));
    EXPECT_THAT(numbers_of(shop().dead({.number = c})), ElementsAre(c));
    EXPECT_THAT(numbers_of(shop().dead({.number = c, .tenant = "acme"})), IsEmpty());
    EXPECT_THAT(numbers_of(shop().dead({.most = 2})), ElementsAre(a, b));
}

TEST_P(StoreSuite, replays_what_a_filter_matches) { // B54
    const std::int64_t a = commit_dead(an_order_of("placed", "billing", "acme"));
    commit_dead(an_order_of("placed", "audit", "globex"));
    commit_dead(an_order_of("shipped", "billing", "globex"));

    EXPECT_EQ(shop().replay({.tenant = "globex", .most = 1}, noon), 1U);
    EXPECT_EQ(shop().replay({.tenant = "globex"}, noon), 1U);
    EXPECT_EQ(shop().replay({.tenant = "globex"}, noon), 0U);

    EXPECT_THAT(due(), ElementsAre("placed", "shipped"));
    EXPECT_THAT(numbers_of(shop().dead({})), ElementsAre(a));
}

TEST_P(StoreSuite, replays_nothing_for_a_number_no_row_has) { // B54
    const std::int64_t number = commit_dead(a_row());

    EXPECT_EQ(shop().replay({.number = 0}, noon), 0U);
    EXPECT_EQ(shop().replay({.number = -1}, noon), 0U);

    EXPECT_THAT(numbers_of(shop().dead({})), ElementsAre(number));
}

TEST_P(StoreSuite, does_not_replay_what_is_not_dead) { // B54
    const std::int64_t number = commit({a_row_due("later", noon + 1h)}).front();

    EXPECT_EQ(shop().replay({.number = number}, noon), 0U);
    EXPECT_EQ(shop().replay({}, noon), 0U);

    EXPECT_THAT(due(), IsEmpty());
}

TEST_P(StoreSuite, forgets_old_dead_rows_in_pieces) { // B66
    for (int i = 0; i < 5; ++i) {
        commit_dead(stored_message::of(an_order("old"), noon - 24h, noon));
    }
    const std::int64_t young = commit_dead(a_row("young"));
    commit({stored_message::of(an_order("old and alive"), noon - 24h, noon)});

    EXPECT_EQ(shop().forget_dead(noon, 3), 3U);
    EXPECT_EQ(shop().forget_dead(noon, 3), 2U);
    EXPECT_EQ(shop().forget_dead(noon, 3), 0U);

    EXPECT_THAT(numbers_of(shop().dead({})), ElementsAre(young));
    EXPECT_THAT(due(), ElementsAre("old and alive"));
}

} // namespace ferry::testing
