#include "stored_shop.hpp"

namespace ferry::scenarios {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Inbox : public stored_shop {
protected:
    /// The same message again, as a broker brings it after a crash.
    void inject_order(const std::string& to, const std::string& order_id, const uuid& message_id) {
        envelope raw = order(R"({"order_id":")" + order_id + R"("})");
        raw.message_id = message_id;
        inject(to, raw);
    }
    [[nodiscard]] std::unique_ptr<bus_builder> billing() {
        auto builder = service("billing");
        builder->handle<order_placed>([this](const order_placed& order, consume_context& context) {
            write_invoice(context, order.order_id);
            handled.add(order.order_id);
        });
        return builder;
    }
    static constexpr const char* queue = "billing.order-placed";
    const uuid id = id_source{17}.next(time_point{1s});
    record<std::string> handled;
};

TEST_F(Inbox, lets_a_message_that_comes_twice_be_handled_once) { // B68
    const auto running = started(*billing());
    inject_order(queue, "1", id);
    inject_order(queue, "1", id);
    ASSERT_TRUE(testing::eventually([&] { return running->counts().handled == 2; })) << "the second is settled, too";
    EXPECT_EQ(running->counts().duplicates, 1U);
    EXPECT_THAT(invoices(), ElementsAre("1"));
}

TEST_F(Inbox, remembers_across_restarts) { // B68
    {
        const auto running = started(*billing());
        inject_order(queue, "1", id);
        ASSERT_TRUE(handled.reaches(1));
    }
    const auto running = started(*billing());
    inject_order(queue, "1", id);
    EXPECT_TRUE(testing::eventually([&] { return running->counts().duplicates == 1; }));
    EXPECT_THAT(invoices(), ElementsAre("1"));
}

TEST_F(Inbox, lets_two_consumers_of_one_message_claim_it_each) { // B69
    record<std::string> loaded;
    auto builder = service("billing");
    builder->endpoint("orders", [&](endpoint_builder& endpoint) {
        endpoint.handle<order_placed>([&](const order_placed& order) { handled.add(order.order_id); },
                                      [](consumer_builder& consumer) { consumer.name("billing"); });
        endpoint.handle<order_placed>([&](const order_placed& order) { loaded.add(order.order_id); },
                                      [](consumer_builder& consumer) { consumer.name("loading"); });
    });
    const auto running = started(*builder);
    inject_order("orders", "1", id);
    inject_order("orders", "1", id);
    ASSERT_TRUE(testing::eventually([&] { return running->counts().duplicates == 2; }));
    EXPECT_THAT(handled.all(), ElementsAre("1"));
    EXPECT_THAT(loaded.all(), ElementsAre("1"));
}

TEST_F(Inbox, undoes_the_claim_of_a_handler_that_fails) { // B70
    auto builder = service("billing");
    std::atomic<int> calls{0};
    builder->handle<order_placed>([&](const order_placed& order, consume_context& context) {
        write_invoice(context, order.order_id);
        if (++calls == 1) {
            throw std::runtime_error{"not now"};
        }
        handled.add(order.order_id);
    });
    const auto running = started(*builder);
    inject_order(queue, "1", id);
    ASSERT_TRUE(testing::eventually([&] { return running->counts().dead_lettered == 1; }));
    EXPECT_THAT(invoices(), IsEmpty());
    inject_order(queue, "1", id);
    EXPECT_TRUE(handled.reaches(1));
    EXPECT_TRUE(testing::eventually([&] { return invoices().size() == 1; }));
}

TEST_F(Inbox, claims_nothing_without_an_id_or_when_told_not_to) { // B72
    const auto running = started(*billing());
    inject(queue, order(R"({"order_id":"1"})"));
    inject(queue, order(R"({"order_id":"1"})"));
    EXPECT_TRUE(handled.reaches(2));

    record<std::string> counted;
    auto builder = shop::service("counting");
    std::filesystem::create_directory(folder + "/counting");
    builder->persistence(sqlite::store{folder + "/counting/counting.db"});
    builder->handle<order_placed>([&](const order_placed& order) { counted.add(order.order_id); },
                                  [](consumer_builder& consumer) { consumer.inbox(false); });
    const auto counting = started(*builder);
    inject_order("counting.order-placed", "2", id);
    inject_order("counting.order-placed", "2", id);
    EXPECT_TRUE(counted.reaches(2));
    EXPECT_EQ(counting->counts().duplicates, 0U);
}

TEST_F(Inbox, takes_a_claim_that_cannot_be_made_for_a_failure) { // B73
    const auto running = started(*billing());
    exec(*own(), "drop table ferry_inbox");
    inject_order(queue, "1", id);
    EXPECT_TRUE(testing::eventually([&] { return running->counts().dead_lettered == 1; }));
    EXPECT_THAT(handled.all(), IsEmpty());
}

TEST_F(Inbox, acknowledges_and_sends_nothing_when_the_commit_fails) { // B74
    record<std::string> heard;
    auto auditor = shop::service("audit");
    auditor->handle<invoice_created>([&](const invoice_created& invoice) { heard.add(invoice.order_id); });
    const auto audit = started(*auditor);
    std::atomic<int> calls{0};
    auto builder = service("billing");
    builder->resilience([](exception_policy& policy) { policy.otherwise().retry(1, 1ms); });
    builder->handle<order_placed>([&](const order_placed& order, consume_context& context) {
        context.publish(invoice_created{order.order_id});
        if (++calls == 1) { // there is no such order, which only the commit notices
            exec(context.transaction<sqlite3>(), "insert into lines values ('nobody')");
        }
    });
    const auto running = started(*builder);
    inject_order(queue, "1", id);
    EXPECT_TRUE(heard.reaches(1));
    EXPECT_EQ(calls, 2);
    EXPECT_TRUE(testing::eventually([&] { return running->outbox().counts().pending == 0; }));
    EXPECT_THAT(heard.all(), ElementsAre("1"));
    EXPECT_THAT(column("select order_id from lines"), IsEmpty());
}

TEST_F(Inbox, forgets_after_its_retention) { // B66
    auto builder = service("billing");
    builder->clock(time);
    builder->handle<order_placed>([this](const order_placed& order) { handled.add(order.order_id); });
    const auto running = started(*builder);
    inject_order(queue, "1", id);
    ASSERT_TRUE(testing::eventually([&] { return running->counts().handled == 1; }));
    time.advance(1h);
    EXPECT_THAT(column("select count(*) from ferry_inbox"), ElementsAre("1"));
    time.advance(7 * 24h);
    EXPECT_TRUE(testing::eventually([&] { return column("select count(*) from ferry_inbox").front() == "0"; }));
}

TEST_F(Inbox, forgets_soon_after_a_start_what_was_old_by_then) { // B66
    auto builder = timed_service("billing");
    builder->handle<order_placed>([](const order_placed&) {});
    auto running = started(*builder);
    inject_order(queue, "1", id);
    ASSERT_TRUE(testing::eventually([&] { return column("select count(*) from ferry_inbox").front() == "1"; }));
    running.reset();
    time.advance(8 * 24h);
    auto again = timed_service("billing");
    again->handle<order_placed>([](const order_placed&) {});
    running = started(*again);
    time.advance(1min);
    EXPECT_TRUE(testing::eventually([&] { return column("select count(*) from ferry_inbox").front() == "0"; }));
}

TEST_F(Inbox, must_remember_longer_than_a_message_may_come_again) { // B9
    auto builder = service("billing", {.claims = {.retention = 1h}});
    builder->resilience([](exception_policy& policy) { policy.otherwise().redeliver({30min, 45min}); });
    builder->handle<order_placed>([](const order_placed&) {});
    try {
        (void)builder->build();
        FAIL() << "was built";
    } catch (const build_error& wrong) {
        EXPECT_THAT(wrong.problems(), ElementsAre(HasSubstr("may come again after 75 min")));
    }
    auto retrying = service("billing", {.claims = {.retention = 3h}});
    retrying->resilience([](exception_policy& policy) {
        policy.otherwise().retry({20min, 20min}).then_redeliver({30min, 45min}); // and three rounds of retries
    });
    retrying->handle<order_placed>([](const order_placed&) {});
    try {
        (void)retrying->build();
        FAIL() << "was built";
    } catch (const build_error& wrong) {
        EXPECT_THAT(wrong.problems(), ElementsAre(HasSubstr("may come again after 195 min")));
    }
}

TEST_F(Inbox, offers_the_transaction_only_as_what_it_is) {
    watched<std::string> text;
    auto builder = service("billing");
    builder->handle<order_placed>([&](const order_placed&, consume_context& context) {
        try {
            (void)context.transaction<std::string>();
        } catch (const error& wrong) {
            text.change([&](std::string& told) { told = wrong.what(); });
        }
    });
    const auto running = started(*builder);
    inject_order(queue, "1", id);
    ASSERT_TRUE(text.eventually([](const std::string& told) { return !told.empty(); }));
    EXPECT_THAT(text.get(), HasSubstr("sqlite3"));
}

TEST_F(Inbox, says_when_a_handler_wants_a_transaction_and_there_is_no_store) {
    watched<std::string> text;
    auto builder = shop::service("billing");
    builder->handle<order_placed>([&](const order_placed&, consume_context& context) {
        try {
            (void)context.transaction<sqlite3>();
        } catch (const error& wrong) {
            text.change([&](std::string& told) { told = wrong.what(); });
        }
    });
    const auto running = started(*builder);
    inject_order(queue, "1", id);
    ASSERT_TRUE(text.eventually([](const std::string& told) { return !told.empty(); }));
    EXPECT_THAT(text.get(), HasSubstr("builder.persistence"));
}

TEST_F(Inbox, alone_sends_before_the_commit_so_that_nothing_is_lost) { // B68
    record<std::string> heard;
    auto auditor = shop::service("audit");
    auditor->handle<invoice_created>([&](const invoice_created& invoice) { heard.add(invoice.order_id); });
    const auto audit = started(*auditor);
    auto builder = service("billing", {.outbox = false});
    builder->handle<order_placed>([](const order_placed& order, consume_context& context) {
        write_invoice(context, order.order_id);
        context.publish(invoice_created{order.order_id});
    });
    const auto running = started(*builder);
    inject_order(queue, "1", id);
    inject_order(queue, "1", id);
    ASSERT_TRUE(testing::eventually([&] { return running->counts().handled == 2; }));
    EXPECT_TRUE(heard.reaches(1));
    EXPECT_THAT(heard.all(), ElementsAre("1"));
    EXPECT_THAT(invoices(), ElementsAre("1"));
}

} // namespace
} // namespace ferry::scenarios
