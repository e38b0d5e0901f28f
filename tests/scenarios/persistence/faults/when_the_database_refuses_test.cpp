#include "billing_shop.hpp"

namespace ferry::scenarios {
namespace {

/// The database is there, and does not do what it is asked, for a while.
class WhenTheDatabaseRefuses : public billing_shop {
protected:
    WhenTheDatabaseRefuses() { start_audit(); }

    void start_billing(billing_options options, const std::function<void(exception_policy&)>& policy) {
        auto builder = billing(options, no_faults);
        builder->log({});
        builder->resilience(policy);
        running = started(*builder);
    }
    /// From now on no row of that table can be written, as when the disk is full.
    void fill_disk_under(const std::string& table) {
        database.exec("create function refuse() returns trigger language plpgsql as $$ begin"
                      " raise exception 'could not extend file: No space left on device' using errcode = '53100';"
                      " end $$;"
                      "create trigger full_disk before insert on " +
                      table + " execute function refuse()");
    }
    void make_room() { database.exec("drop function refuse cascade"); }
    void expect_nothing_has_happened() {
        EXPECT_EQ(invoiced_orders(), 0);
        EXPECT_EQ(rows_in_outbox(), 0);
        EXPECT_EQ(heard_orders(), 0U);
        EXPECT_EQ(running->counts().handled, 0U) << "something was acknowledged";
    }
    void expect_it_goes_on() {
        EXPECT_TRUE(everything_is_done());
        EXPECT_EQ(running->counts().dead_lettered, 0U);
        running->stop();
        expect_one_effect_of_each_order();
    }

    fault_plan no_faults;
    std::unique_ptr<bus> running;
};

void tries_for_long(exception_policy& policy) { policy.otherwise().retry(600, 50ms, backoff::constant); }

TEST_F(WhenTheDatabaseRefuses, a_lock_in_time_the_handler_runs_again_until_it_gets_it) { // B77 B74
    billing_options options = own_billing();
    options.store.lock_timeout = 100ms;
    start_billing(options, tries_for_long);
    pqxx::connection other{database.url()};
    pqxx::work holder{other};
    holder.exec("lock table invoices in share row exclusive mode");
    place_orders(10);
    ASSERT_TRUE(in_the_end([&] { return running->counts().retries >= 8; }));
    expect_nothing_has_happened();
    holder.abort();
    expect_it_goes_on();
}

TEST_F(WhenTheDatabaseRefuses, a_lock_once_the_policy_hears_nothing_of_it) { // B77
    billing_options options = own_billing();
    options.store.lock_timeout = 1s;
    start_billing(options, [](exception_policy& policy) { policy.otherwise().dead_letter(); });
    pqxx::connection other{database.url()};
    pqxx::work holder{other};
    holder.exec("lock table invoices in share row exclusive mode");
    place_orders(1);
    ASSERT_TRUE(in_the_end([&] { return running->counts().retries >= 1; }));
    holder.abort();
    expect_it_goes_on();
}

TEST_F(WhenTheDatabaseRefuses, handlers_for_want_of_space_nothing_is_acknowledged_and_nothing_is_lost) { // B74 B76
    start_billing(own_billing(), tries_for_long);
    fill_disk_under("invoices");
    place_orders(10);
    ASSERT_TRUE(in_the_end([&] { return running->counts().retries >= 8; }));
    expect_nothing_has_happened();
    make_room();
    expect_it_goes_on();
}

TEST_F(WhenTheDatabaseRefuses, commits_for_want_of_space_nothing_is_acknowledged_and_nothing_is_sent) { // B74 B76
    start_billing(own_billing(), tries_for_long);
    fill_disk_under("ferry.outbox");
    place_orders(10);
    ASSERT_TRUE(in_the_end([&] { return running->counts().retries >= 8; }));
    expect_nothing_has_happened();
    make_room();
    expect_it_goes_on();
}

} // namespace
} // namespace ferry::scenarios
