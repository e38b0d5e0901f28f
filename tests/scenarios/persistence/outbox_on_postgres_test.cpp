#include "postgres_shop.hpp"

#include <ferry/postgres/transaction.hpp>

#include <atomic>
#include <latch>

namespace ferry::scenarios {
namespace {

class OutboxOnPostgres : public postgres_shop {
protected:
    ~OutboxOnPostgres() override { broker.reset(); } // its clock may go next

    [[nodiscard]] std::unique_ptr<bus> audit() {
        auto builder = shop::service("audit");
        builder->handle<invoice_created>([this](const invoice_created& invoice) { heard.add(invoice.order_id); });
        return started(*builder);
    }
    /// Committed by nobody the bus knows.
    void commit_row(store& by, const std::string& id, const std::string& key = {}) const {
        envelope event;
        event.message_id = id_source{7}.next(time.now());
        event.message_type = message_type::of<invoice_created>().urn;
        event.destination = address::queue("audit.invoice-created");
        event.partition_key = key;
        event.body.assign(R"({"order_id":")" + id + R"("})");
        const auto work = by.work();
        work->append(stored_message::of(event, time.now(), time.now()));
        work->commit();
    }
    [[nodiscard]] std::int64_t transactions_of_relays() {
        return database.number("select count(*) from pg_stat_activity where datname = current_database()"
                               " and state = 'idle in transaction'");
    }
    /// Schedules an invoice as another instance does that is gone before its time.
    void schedule_and_be_gone(duration delay, const postgres::store_options& options) {
        auto builder = timed_service("shop", {.relay = {.poll_interval = 24h}}, options);
        (void)started(*builder)->schedule_publish(invoice_created{"1"}, delay);
    }
    /// Relay and cleanup have done what there was to do, and wait for what is still to come.
    void await_rest() { time.await_waiters(2); }

    record<std::string> heard;
};

TEST_F(OutboxOnPostgres, goes_on_when_a_confirm_comes_after_the_grace) { // B62
    const auto small = std::make_shared<memory::broker>(memory::broker_options{.max_queue_messages = 1});
    broker = small;
    auto shipper = shop::service("shipping");
    shipper->serve<ship_order>([](const ship_order&) {});
    started(*shipper)->stop(); // its queue stays, and nobody takes anything out of it
    persistence_options options;
    options.relay.publish_immediately = true;
    auto builder = timed_service("shop", options);
    const auto selling = started(*builder);
    selling->send(ship_order{"1"}, ferry::immediate);
    selling->send(ship_order{"2"}); // committed and sent; the queue has no room for it
    ASSERT_EQ(rows_in_outbox(), 1);

    time.advance(6s); // the relay finds it, and leaves it to who has sent it for as long as that may take
    ASSERT_TRUE(testing::eventually([&] {
        return database.number("select next_attempt_at - created_at from ferry.outbox") >
               std::chrono::nanoseconds{30s}.count();
    }));

    EXPECT_TRUE(testing::eventually([&] {
        small->purge("ship-order");
        return rows_in_outbox() == 0;
    }));
}

TEST_F(OutboxOnPostgres, has_a_message_on_its_schedule_again_when_the_handler_that_cancelled_it_fails) { // B79 B83
    broker = std::make_shared<memory::broker>(memory::broker_options{}, clock{time});
    record<bool> cancelled;
    schedule_token token;
    auto builder = timed_service("billing");
    builder->resilience([](exception_policy& policy) { policy.otherwise().retry(1, 0ms); });
    builder->handle<order_placed>([&](const order_placed&, consume_context& context) {
        cancelled.add(context.cancel(token));
        if (context.attempt().is_first()) {
            throw std::runtime_error{"not yet"};
        }
    });
    const auto billing = started(*builder);
    token = billing->schedule_publish(invoice_created{"1"}, 1h);
    billing->publish(order_placed{"1"}, ferry::immediate);
    ASSERT_TRUE(testing::eventually([&] { return billing->counts().handled == 1; }));
    EXPECT_THAT(cancelled.all(), ::testing::ElementsAre(true, true));
    EXPECT_EQ(billing->outbox().counts().scheduled, 0U);
}

TEST_F(OutboxOnPostgres, sends_soon_what_was_scheduled_and_committed_after_its_time) { // B65 B80 B82
    broker = std::make_shared<memory::broker>(memory::broker_options{}, clock{time});
    const auto auditing = audit();
    auto builder = timed_service("shop");
    const auto selling = started(*builder);
    pqxx::connection connection{database.url()};
    const auto schedule_and_wait = [&](const std::string& id) {
        auto transaction = std::make_unique<pqxx::work>(connection);
        (void)selling->outbox().schedule_publish(*transaction, invoice_created{id}, time.now() + 1s);
        time.advance(2s);
        await_rest(); // it has looked when the message was due, and found nothing
        return transaction;
    };

    schedule_and_wait("1")->commit();
    selling->outbox().wake();
    EXPECT_TRUE(heard.reaches(1));

    schedule_and_wait("2")->commit();
    EXPECT_TRUE(testing::eventually([&] {
        time.advance(1ms); // it looks more and more slowly
        return heard.all().size() == 2;
    }));
    EXPECT_LT(time.now() - (testing::manual_clock{}.now() + 4s), 5s) << "it was found by a poll";
}

TEST_F(OutboxOnPostgres, leaves_a_row_to_who_sent_it_for_as_long_as_its_transport_waits) { // B56
    broker = std::make_shared<memory::broker>(memory::broker_options{.max_queue_messages = 1, .send_timeout = 2min});
    auto shipper = shop::service("shipping");
    shipper->serve<ship_order>([](const ship_order&) {});
    started(*shipper)->stop(); // its queue stays, and nobody takes anything out of it
    auto builder = timed_service("shop");
    const auto selling = started(*builder);
    selling->send(ship_order{"1"}, ferry::immediate);
    selling->send(ship_order{"2"}); // and the queue has no room for it
    ASSERT_TRUE(testing::eventually([&] { return transactions_of_relays() == 1; }));
    await_rest();
    time.advance(2s); // the relay goes on without an answer
    ASSERT_TRUE(testing::eventually([&] { return transactions_of_relays() == 0; }));

    const auto other = started(*timed_service("shop"));
    time.advance(100s);
    time.await_waiters(4); // both have looked for rows, and rest

    std::size_t arrived = 0;
    EXPECT_TRUE(testing::eventually([&] {
        arrived += broker->purge("ship-order");
        return rows_in_outbox() == 0;
    }));
    EXPECT_EQ(arrived + broker->purge("ship-order"), 2U) << "it was sent by both";
}

TEST_F(OutboxOnPostgres, sends_rows_with_a_key_soon_when_another_relay_has_their_shard) { // B59 B56
    const auto auditing = audit();
    const auto other = testing::started_store(database.url());
    commit_row(*other, "1", "key");
    auto batch = other->take_shard(*shard_of("key"), 1, time.now());
    ASSERT_TRUE(batch);
    auto builder = timed_service("shop");
    const auto selling = started(*builder);
    selling->publish(invoice_created{"2"}, {.partition_key = "key"});
    await_rest(); // it has looked, and the shard was taken
    const row_outcome sent{.number = batch->rows().front().number};
    batch->finish({&sent, 1});

    time.advance(300ms);
    EXPECT_TRUE(heard.reaches(1));
}

TEST_F(OutboxOnPostgres, sends_rows_that_were_locked_with_others_and_did_not_fit) { // B51 B64
    const auto auditing = audit();
    auto builder = timed_service("shop", {.relay = {.poll_interval = 24h, .batch = 500}});
    const auto selling = started(*builder);
    for (int i = 0; i < 3; ++i) { // then it takes a full batch at once
        selling->publish(invoice_created{std::to_string(i)});
        ASSERT_TRUE(heard.reaches(static_cast<std::size_t>(i) + 1));
        ASSERT_TRUE(testing::eventually([&] { return rows_in_outbox() == 0; }));
    }
    pqxx::connection own{database.url()};
    pqxx::work transaction{own};
    for (int i = 0; i < 500; ++i) {
        selling->outbox().publish(transaction, invoice_created{std::string(10'000, 'x')});
    }
    transaction.commit();
    selling->outbox().wake();
    EXPECT_TRUE(heard.reaches(503)) << "though the clock stands still";
}

/// The system's clock, until somebody sets it back.
class adjustable_clock final : public time_source {
public:
    [[nodiscard]] time_point now() const noexcept override { return clock{}() - back_.load(); }
    bool wait_until(time_point due, std::stop_token stop) override {
        return clock{}.wait_for(due - now(), std::move(stop)); // as long as it was when the wait began
    }
    void set_back(duration by) { back_ = by; }

private:
    std::atomic<duration> back_{duration::zero()};
};

TEST_F(OutboxOnPostgres, polls_when_the_clock_was_set_back) { // B51
    const auto auditing = audit();
    adjustable_clock adjusted;
    auto builder = service("shop", {.relay = {.poll_interval = 50ms}});
    builder->clock(adjusted);
    const auto selling = started(*builder);
    const auto other = testing::started_store(database.url());
    commit_row(*other, "1");
    ASSERT_TRUE(heard.reaches(1));
    adjusted.set_back(1h);
    commit_row(*other, "2");
    EXPECT_TRUE(heard.reaches(2));
    selling->stop(); // before its clock goes
}

TEST_F(OutboxOnPostgres, hears_of_rows_another_process_has_committed) { // B51
    const auto auditing = audit();
    auto builder = timed_service("shop", {.relay = {.poll_interval = 24h}}, {.notify = true});
    const auto selling = started(*builder);
    const auto other = testing::started_store(database.url(), {.notify = true});
    commit_row(*other, "1");
    EXPECT_TRUE(heard.reaches(1)) << "though the clock stands still";
}

TEST_F(OutboxOnPostgres, hears_of_what_another_process_has_scheduled) { // B80
    broker = std::make_shared<memory::broker>(memory::broker_options{}, clock{time});
    const auto auditing = audit();
    auto builder = timed_service("shop", {.relay = {.poll_interval = 24h}}, {.notify = true});
    const auto selling = started(*builder);
    const time_point due = time.now() + 90min;
    schedule_and_be_gone(90min, {.notify = true});
    time.await_waiter_for(due);
    time.set(due);
    EXPECT_TRUE(heard.reaches(1));
}

TEST_F(OutboxOnPostgres, finds_what_another_process_has_scheduled_when_it_polls) { // B80
    broker = std::make_shared<memory::broker>(memory::broker_options{}, clock{time});
    const auto auditing = audit();
    auto builder = timed_service("shop", {.relay = {.poll_interval = 5s}});
    const auto selling = started(*builder);
    await_rest(); // it has looked, and will do so again in 5 s
    const time_point due = time.now() + 5s + 700ms;
    schedule_and_be_gone(5s + 700ms, {});
    time.advance(5s);
    time.await_waiter_for(due);
    time.set(due);
    EXPECT_TRUE(heard.reaches(1));
}

TEST_F(OutboxOnPostgres, is_drained_with_the_fewest_connections_allowed) { // B55
    const auto auditing = audit();
    std::latch go_on{1};
    auto builder = timed_service("shop", {.relay = {.batch = 5}}, {.connection_wait = 100ms, .max_connections = 1});
    builder->concurrency_limit(1).handle<order_placed>([&](const order_placed& order, consume_context& context) {
        context.transaction<pqxx::transaction_base>().exec("insert into invoices values ($1)",
                                                           pqxx::params{order.order_id});
        go_on.wait(); // with the only connection for handlers
    });
    const auto selling = started(*builder);
    selling->publish(order_placed{"1"}, ferry::immediate);
    ASSERT_TRUE(testing::eventually([&] {
        return database.number("select count(*) from pg_stat_activity where datname = current_database()"
                               " and query like 'insert into invoices%'") == 1;
    }));
    const auto other = testing::started_store(database.url());
    for (int i = 0; i < 100; ++i) {
        commit_row(*other, std::to_string(i));
    }
    time.advance(5s);
    EXPECT_TRUE(testing::eventually([&] { return rows_in_outbox() == 0; }));
    EXPECT_TRUE(heard.reaches(100));
    EXPECT_TRUE(testing::eventually([&] { return selling->counts().outbox_sent == 100U; }));
    go_on.count_down();
}

} // namespace
} // namespace ferry::scenarios
