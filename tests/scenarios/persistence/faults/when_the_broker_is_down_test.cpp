#include "../../rabbitmq/private_broker.hpp"
#include "billing_shop.hpp"
#include "waiting_rows.hpp"

#include <sys/resource.h>

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

    fault_plan no_faults;
    std::unique_ptr<bus> running;
};

TEST_F(WhenTheBrokerIsDown, rows_wait_as_they_are_and_all_of_them_leave_when_it_is_back) { // B55
    constexpr int rows = 50'000;
    crash();
    write_rows(*testing::started_store(database.url()), rows);
    expect_rows_are_as_they_were_written(rows);
    const auto used_before = processor_time();
    restart(); // takes seconds
    RecordProperty("processor_milliseconds_while_it_was_down",
                   static_cast<int>((processor_time() - used_before).count()));
    ASSERT_TRUE(hears_of(rows / 10)) << "they have begun to leave by themselves";
    crash();
    restart();
    EXPECT_TRUE(hears_of(rows));
    EXPECT_TRUE(in_the_end([&] { return rows_in_outbox() == 0; }));
    EXPECT_EQ(running->counts().outbox_failed, 0U) << "no row is to blame for the broker";
    EXPECT_EQ(running->outbox().counts().dead, 0U);
}

} // namespace
} // namespace ferry::scenarios
