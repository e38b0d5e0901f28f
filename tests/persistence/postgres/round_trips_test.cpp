#include "postgres_fixture.hpp"
#include "round_trips.hpp"

#include <array>

namespace ferry::testing {
namespace {

std::uint16_t port_in(const std::string& address) {
    return static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1)));
}

/// Counts also what is done for the first time: what a connection has not prepared yet it prepares on the way.
class RoundTrips : public PostgresTest {
protected:
    RoundTrips() {
        database.exec("create table orders (number int)");
        store = started_store(database.url_at(network.address()), {.max_connections = 1});
    }
    [[nodiscard]] uuid a_new_message() { return ids.next(noon); }

    round_trips network{port_in(postgres_address())};
    id_source ids{3};
};

TEST_F(RoundTrips, of_a_message_are_two_beside_the_handlers_own) {
    for (int attempt = 0; attempt < 3; ++attempt) {
        const auto work = store->work();
        static_cast<void>(network.counted());
        ASSERT_TRUE(claims(*work, a_new_message()));
        EXPECT_EQ(network.counted(), 1);
        transaction_of(*work).exec("insert into orders values ($1)", pqxx::params{1});
        EXPECT_EQ(network.counted(), 1);
        work->append(a_message());
        work->append(a_message("ordered", "customer-7"));
        work->schedule(a_message("later"));
        work->commit();
        EXPECT_EQ(network.counted(), 1);
    }
}

TEST_F(RoundTrips, of_a_message_are_four_when_its_handler_wants_a_pqxx_work) {
    for (int attempt = 0; attempt < 3; ++attempt) {
        const auto work = store->work();
        static_cast<void>(network.counted());
        ASSERT_TRUE(claims(*work, a_new_message()));
        static_cast<void>(pqxx_work_of(*work));
        EXPECT_EQ(network.counted(), 2);
        work->append(a_message());
        work->commit();
        EXPECT_EQ(network.counted(), 2);
    }
}

TEST_F(RoundTrips, of_a_unit_of_work_that_nobody_looks_at_is_one) {
    for (int attempt = 0; attempt < 2; ++attempt) {
        const auto work = store->work();
        static_cast<void>(network.counted());
        work->begin();
        work->append(a_message());
        work->commit();
        EXPECT_EQ(network.counted(), 1);
        store->work()->commit();
        EXPECT_EQ(network.counted(), 0);
    }
}

TEST_F(RoundTrips, of_a_group_are_as_many_as_of_one_message) { // B75
    for (int attempt = 0; attempt < 2; ++attempt) {
        const auto work = store->work();
        std::vector<uuid> messages(50);
        std::vector<inbox_claim> group;
        for (uuid& each : messages) {
            each = a_new_message();
            group.push_back({each, "billing"});
        }
        std::array<bool, 50> fresh{};
        static_cast<void>(network.counted());
        work->claim(group, noon, fresh);
        EXPECT_EQ(network.counted(), 1);
        for (int i = 0; i < 50; ++i) {
            work->append(a_message());
        }
        work->commit();
        EXPECT_EQ(network.counted(), 1);
    }
}

TEST_F(RoundTrips, of_a_batch_are_two_however_many_rows_it_has) {
    for (const std::string key : {"", "customer-7", "", "customer-7"}) {
        commit({a_message("0", key), a_message("1", key), a_message("2", key)});
        static_cast<void>(network.counted());
        const auto batch =
            key.empty() ? store->take(100, noon, 0) : store->take_shard(shard_of(key).value(), 100, noon);
        EXPECT_EQ(network.counted(), 1);
        ASSERT_EQ(batch->rows().size(), 3U);
        const std::array outcomes{
            row_outcome{.number = batch->rows()[0].number},
            row_outcome{.number = batch->rows()[1].number, .fate = row_fate::dead, .error = "nack"},
            row_outcome{.number = batch->rows()[2].number, .fate = row_fate::sent}};
        batch->finish(outcomes);
        EXPECT_EQ(network.counted(), 1);
    }
}

TEST_F(RoundTrips, of_everything_else_is_one) {
    for (int attempt = 0; attempt < 2; ++attempt) {
        const auto numbers = commit({a_message(), a_message()});
        const std::array outcomes{
            row_outcome{.number = numbers[0]},
            row_outcome{.number = numbers[1], .fate = row_fate::failed, .error = "nack", .next_attempt = noon}};
        static_cast<void>(network.counted());
        store->finish(outcomes);
        EXPECT_EQ(network.counted(), 1);
        static_cast<void>(store->next_due());
        EXPECT_EQ(network.counted(), 1);
        static_cast<void>(store->shards_due(noon));
        EXPECT_EQ(network.counted(), 1);
        store->promote_due(10, noon);
        EXPECT_EQ(network.counted(), 1);
        store->cancel(a_new_message());
        EXPECT_EQ(network.counted(), 1);
        static_cast<void>(store->count());
        EXPECT_EQ(network.counted(), 1);
    }
}

} // namespace
} // namespace ferry::testing
