#include "../../rabbitmq/private_broker.hpp"
#include "billing_shop.hpp"
#include "waiting_rows.hpp"

#include <ferry/postgres/transaction.hpp>

#include <sys/resource.h>

#include <thread>

namespace ferry::scenarios {
namespace {

/// What this process has used of the processors until now.
std::chrono::milliseconds processor_time() {
    rusage used{};
    ::getrusage(RUSAGE_SELF, &used);
    const auto milliseconds = [](const timeval& time) { return time.tv_sec * 1000 + time.tv_usec / 1000; };
    return std::chrono::milliseconds{milliseconds(used.ru_utime) + milliseconds(used.ru_stime)};
}

class WhenTheBrokerIsDown : private testing::owner_of_a_broker, public billing_shop {
protected:
    WhenTheBrokerIsDown() : billing_shop{own.api()} {
        billing_options options = own_billing();
        options.relay_batch = 500;
        options.transport.window = 100; // of a batch some are on their way when the connection breaks, others wait
        auto builder = billing(options, no_faults);
        builder->log({});
        running = started(*builder);
        start_audit();
    }
    void crash() {
        own.crash();
        EXPECT_TRUE(in_the_end([&] { return !running->health().transport.connected; }));
    }
    void restart() const { own.restart(); }
    void expect_rows_are_as_they_were_written(std::int64_t count) {
        EXPECT_EQ(database.number("select count(*) from ferry.outbox where attempts = 0 and last_error is null"
                                  " and state = 0 and next_attempt_at = created_at"),
                  count);
    }
    [[nodiscard]] bool hears_of(std::size_t count) const {
        return in_the_end([&] { return heard_orders() >= count; });
    }

    /// By then the waits between the attempts to connect are as long as they get.
    void let_rows_wait_a_minute() const { EXPECT_TRUE(clock{}.wait_until(*oldest_row() + 1min, {})); }
    [[nodiscard]] std::optional<time_point> oldest_row() const {
        const auto outbox = running->health().outbox;
        return outbox ? outbox->oldest : std::nullopt;
    }

    fault_plan no_faults;
    std::unique_ptr<bus> running;
};

TEST_F(WhenTheBrokerIsDown, rows_wait_as_they_are_and_all_of_them_leave_when_it_is_back) { // B55
    constexpr int rows = 50'000;
    crash();
    write_rows(*testing::started_store(database.url()), rows);
    expect_rows_are_as_they_were_written(rows);
    ASSERT_TRUE(in_the_end([&] { return oldest_row().has_value(); }));
    const auto used_before = processor_time();
    const auto began = std::chrono::steady_clock::now();
    let_rows_wait_a_minute();
    expect_rows_are_as_they_were_written(rows);
    restart();
    const auto used = processor_time() - used_before;
    RecordProperty("processor_milliseconds_while_it_was_down", static_cast<int>(used.count()));
    EXPECT_LT(used, (std::chrono::steady_clock::now() - began) / 10) << "something looks again and again";
    ASSERT_TRUE(hears_of(rows / 10)) << "they have begun to leave by themselves";
    crash();
    restart();
    EXPECT_TRUE(hears_of(rows));
    EXPECT_TRUE(in_the_end([&] { return rows_in_outbox() == 0; }));
    EXPECT_EQ(running->counts().outbox_failed, 0U) << "no row is to blame for the broker";
    EXPECT_EQ(running->outbox().counts().dead, 0U);
}

TEST_F(WhenTheBrokerIsDown, health_shows_what_waits_and_since_when) { // B67 B55
    ASSERT_TRUE(in_the_end([&] { return running->health().outbox.has_value(); }));
    crash();
    write_rows(*testing::started_store(database.url()), 1000);
    EXPECT_TRUE(in_the_end([&] { return running->health().outbox->pending == 1000; }));
    EXPECT_TRUE(running->health().outbox->oldest.has_value());
    restart();
    EXPECT_TRUE(hears_of(1000));
}

class WhenTheBrokerWasNeverThere : private testing::owner_of_a_broker, public billing_shop {
protected:
    WhenTheBrokerWasNeverThere() : billing_shop{own.api()} {}
    void crash() const { own.crash(); }
    void restart() const { own.restart(); }
};

TEST_F(WhenTheBrokerWasNeverThere, rows_are_taken_all_the_same_and_leave_when_it_comes) { // B55 B65 B67
    start_audit();
    crash();
    fault_plan no_faults;
    auto builder = billing(own_billing(), no_faults);
    builder->log({});
    bus selling = builder->build();
    std::jthread starting{[&] { selling.start(); }};
    pqxx::connection connection{database.url()};
    const auto publishes = [&] {
        try {
            pqxx::work transaction{connection};
            selling.outbox().publish(transaction, invoice_created{"1"});
            transaction.commit();
            return true;
        } catch (const not_running&) { // it has not reached its database yet
            return false;
        }
    };
    ASSERT_TRUE(in_the_end(publishes));
    selling.publish(invoice_created{"2"});
    EXPECT_EQ(rows_in_outbox(), 2);
    EXPECT_TRUE(in_the_end([&] {
        const auto outbox = selling.health().outbox;
        return outbox && outbox->pending == 2 && outbox->oldest;
    }));
    EXPECT_THROW(selling.publish(invoice_created{"3"}, ferry::immediate), not_running);
    restart();
    starting.join();
    EXPECT_TRUE(in_the_end([&] { return heard_orders() == 2 && rows_in_outbox() == 0; }));
}

} // namespace
} // namespace ferry::scenarios
