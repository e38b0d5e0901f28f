#include "stored_shop.hpp"

namespace ferry::scenarios {
namespace {

using ::testing::ElementsAre;

class StoredSchedule : public stored_shop {
protected:
    StoredSchedule() { broker = a_broker(); }
    ~StoredSchedule() override { broker.reset(); } // its clock goes next

    [[nodiscard]] std::shared_ptr<memory::broker> a_broker() {
        return std::make_shared<memory::broker>(memory::broker_options{}, clock{time});
    }
    [[nodiscard]] std::unique_ptr<bus> reminding() {
        auto builder = timed_service("reminding");
        builder->concurrency_limit(1).handle<invoice_created>(
            [this](const invoice_created& invoice) { heard.add(invoice.order_id); });
        return started(*builder);
    }
    record<std::string> heard;
};

TEST_F(StoredSchedule, sends_in_due_order_when_the_time_has_come) { // B79 B80
    const auto bus = reminding();
    (void)bus->schedule_publish(invoice_created{"later"}, 2h);
    (void)bus->schedule_publish(invoice_created{"sooner"}, 1h);
    (void)bus->schedule_publish(invoice_created{"soonest"}, 30min);
    time.advance(29min);
    EXPECT_THAT(heard.all(), ElementsAre());
    time.advance(2h);
    EXPECT_TRUE(heard.reaches(3));
    EXPECT_THAT(heard.all(), ElementsAre("soonest", "sooner", "later"));
}

TEST_F(StoredSchedule, can_be_cancelled_once) { // B79
    const auto bus = reminding();
    const schedule_token token = bus->schedule_publish(invoice_created{"never"}, 1h);
    EXPECT_TRUE(bus->cancel(token));
    EXPECT_FALSE(bus->cancel(token));
    (void)bus->schedule_publish(invoice_created{"after it"}, 2h);
    time.advance(3h);
    EXPECT_TRUE(heard.reaches(1));
    EXPECT_THAT(heard.all(), ElementsAre("after it"));
}

TEST_F(StoredSchedule, can_be_cancelled_in_an_applications_own_transaction) { // B65 B79
    const auto bus = reminding();
    const schedule_token token = bus->schedule_publish(invoice_created{"never"}, 1h);
    const connection database = own();
    exec(*database, "begin immediate");
    EXPECT_TRUE(bus->outbox().cancel(*database, token));
    exec(*database, "rollback");
    exec(*database, "begin immediate");
    EXPECT_TRUE(bus->outbox().cancel(*database, token));
    EXPECT_FALSE(bus->outbox().cancel(*database, token));
    exec(*database, "commit");
    (void)bus->schedule_publish(invoice_created{"after it"}, 2h);
    time.advance(3h);
    EXPECT_TRUE(heard.reaches(1));
    EXPECT_THAT(heard.all(), ElementsAre("after it"));
}

TEST_F(StoredSchedule, outlives_its_process) { // B80
    schedule_token cancelled;
    {
        const auto bus = reminding();
        (void)bus->schedule_publish(invoice_created{"1"}, 1h);
        cancelled = bus->schedule_publish(invoice_created{"2"}, 1h);
    }
    const auto bus = reminding();
    EXPECT_TRUE(bus->cancel(cancelled));
    time.advance(1h);
    EXPECT_TRUE(heard.reaches(1));
    EXPECT_THAT(heard.all(), ElementsAre("1"));
}

TEST_F(StoredSchedule, is_counted_once_more_when_the_bus_stops) {
    const auto bus = reminding();
    (void)bus->schedule_publish(invoice_created{"1"}, 1h);
    (void)bus->schedule_publish(invoice_created{"2"}, 3h);
    time.advance(1h);
    ASSERT_TRUE(heard.reaches(1));
    bus->stop();
    EXPECT_EQ(bus->health().scheduled.waiting, 1U);
    EXPECT_EQ(bus->health().outbox->pending, 0U);
}

TEST_F(StoredSchedule, sends_what_is_due_already_at_once) { // B82
    const auto bus = reminding();
    (void)bus->schedule_publish(invoice_created{"1"}, time.now() - 1h);
    EXPECT_TRUE(heard.reaches(1));
}

TEST_F(StoredSchedule, belongs_to_the_transaction_of_its_handler) { // B83
    auto builder = timed_service("billing");
    builder->resilience([](exception_policy& policy) { policy.otherwise().retry(1, 0ms); });
    builder->handle<invoice_created>([this](const invoice_created& invoice) { heard.add(invoice.order_id); });
    builder->handle<order_placed>([](const order_placed& order, consume_context& context) {
        const bool first = context.attempt().is_first();
        (void)context.schedule_publish(invoice_created{order.order_id + (first ? " lost" : "")}, 1h);
        if (first) {
            throw std::runtime_error{"not yet"};
        }
    });
    const auto billing = started(*builder);
    billing->publish(order_placed{"1"});
    ASSERT_TRUE(testing::eventually([&] { return billing->outbox().counts().scheduled == 1; }));
    time.advance(1h);
    EXPECT_TRUE(heard.reaches(1));
    EXPECT_THAT(heard.all(), ElementsAre("1"));
}

TEST_F(StoredSchedule, gives_up_in_the_end_like_any_row) { // B81
    auto builder = timed_service("shop", {.relay = {.attempts = 2}});
    const auto selling = started(*builder);
    (void)selling->schedule_send(ship_order{"1"}, 1h);
    time.advance(1h);
    ASSERT_TRUE(testing::eventually([&] { return selling->counts().outbox_failed == 1; }));
    time.advance(10min);
    EXPECT_TRUE(testing::eventually([&] { return selling->outbox().counts().dead == 1; }));
}

TEST_F(StoredSchedule, keeps_redeliveries_across_restarts) { // B35
    const auto billing = [this](bool works) {
        auto builder = timed_service("billing");
        builder->resilience([](exception_policy& policy) { policy.otherwise().redeliver({5min}); });
        builder->handle<order_placed>([this, works](const order_placed& order, consume_context& context) {
            if (!works) {
                throw std::runtime_error{"closed"};
            }
            heard.add(order.order_id + " at redelivery " + std::to_string(context.attempt().redelivery));
        });
        return started(*builder);
    };
    {
        const auto bus = billing(false);
        bus->publish(order_placed{"1"});
        ASSERT_TRUE(testing::eventually([&] { return bus->counts().redelivered == 1; }));
    }
    broker = a_broker(); // everything in memory is gone
    const auto bus = billing(true);
    time.advance(10min);
    EXPECT_TRUE(heard.reaches(1));
    EXPECT_THAT(heard.all(), ElementsAre("1 at redelivery 1"));
}

TEST_F(StoredSchedule, does_not_cancel_a_redelivery_of_what_was_sent) { // B79 B35
    auto builder = timed_service("billing");
    builder->resilience([](exception_policy& policy) { policy.otherwise().redeliver({5min}); });
    builder->handle<order_placed>([this](const order_placed& order, consume_context& context) {
        if (context.attempt().redelivery == 0) {
            throw std::runtime_error{"closed"};
        }
        heard.add(order.order_id);
    });
    const auto bus = started(*builder);
    const schedule_token token = bus->schedule_publish(order_placed{"1"}, 1h);
    time.advance(1h);
    ASSERT_TRUE(testing::eventually([&] { return bus->counts().redelivered == 1; }));
    EXPECT_FALSE(bus->cancel(token)) << "it has been sent: what waits now is its second try";
    time.advance(5min);
    EXPECT_TRUE(heard.reaches(1));
}

TEST_F(StoredSchedule, sends_within_a_second_while_other_rows_flow) { // B80
    broker = std::make_shared<memory::broker>(memory::broker_options{.max_queue_messages = 1}, clock{time});
    auto shipper = shop::service("shipping");
    shipper->serve<ship_order>([](const ship_order&) {});
    started(*shipper)->stop(); // its queue stays, and is full from now on
    const auto bus = reminding();
    bus->send(ship_order{"fills the queue"}, ferry::immediate);
    bus->send(ship_order{"is on its way"});
    (void)bus->schedule_publish(invoice_created{"first"}, 1s);
    (void)bus->schedule_publish(invoice_created{"second"}, 1600ms);
    time.advance(1s);
    ASSERT_TRUE(heard.reaches(1));
    time.advance(600ms);
    EXPECT_TRUE(heard.reaches(2)) << "though a row is on its way all the time";
}

TEST_F(StoredSchedule, keeps_a_handlers_delayed_message_too) { // B35
    const auto bus = reminding();
    bus->publish(invoice_created{"1"}, {.deliver_at = time.now() + 1h});
    EXPECT_TRUE(testing::eventually([&] { return bus->outbox().counts().scheduled == 1; }));
    time.advance(1h);
    EXPECT_TRUE(heard.reaches(1));
}

} // namespace
} // namespace ferry::scenarios
