#include "stored_shop.hpp"

namespace ferry::scenarios {
namespace {

using ::testing::ElementsAre;

/// A service whose database cannot grow during the first three attempts, and can afterwards.
class DiskFull : public stored_shop {
protected:
    using write = std::function<void(consume_context&)>;

    /// The handler does `first` while there is still room, and publishes something large at its end.
    void start(const write& first, const write& then) {
        auto builder = service("billing");
        builder->concurrency_limit(1);
        builder->resilience([](exception_policy& policy) { policy.otherwise().retry(5, 1ms); });
        builder->handle<order_placed>([=, this](const order_placed&, consume_context& context) {
            attempts.add(invoices().size());
            first(context);
            const bool full = attempts.all().size() <= 3;
            exec(context.transaction<sqlite3>(), // a limit below the size of the file means: not a page more
                 full ? "pragma max_page_count = 1" : "pragma max_page_count = 1000000");
            then(context);
            context.publish(invoice_created{large});
        });
        billing = started(*builder);
        auto listener = shop::service("audit");
        listener->handle<invoice_created>([this](const invoice_created& invoice) { heard.add(invoice.order_id); });
        audit = started(*listener);
    }
    void expect_one_effect_after_three_failures() {
        ASSERT_TRUE(heard.reaches(1));
        EXPECT_TRUE(testing::eventually([&] { return billing->outbox().counts().pending == 0; }));
        EXPECT_THAT(attempts.all(), ElementsAre(0U, 0U, 0U, 0U)) << "something of a failed attempt stays";
        EXPECT_EQ(invoices().size(), 1U);
        EXPECT_EQ(heard.all().size(), 1U);
        EXPECT_EQ(billing->counts().dead_lettered, 0U);
    }

    const std::string large = std::string(300'000, 'x');
    record<std::size_t> attempts;
    record<std::string> heard;
    std::unique_ptr<bus> billing;
    std::unique_ptr<bus> audit;
};

TEST_F(DiskFull, undoes_what_a_handler_could_not_write_and_goes_on_when_there_is_room) { // B74 B76
    start([](consume_context&) {}, [this](consume_context& context) { write_invoice(context, large); });
    billing->publish(order_placed{"1"}, ferry::immediate);
    expect_one_effect_after_three_failures();
}

TEST_F(DiskFull, undoes_what_a_commit_could_not_write_and_goes_on_when_there_is_room) { // B74 B76
    start([](consume_context& context) { write_invoice(context, "1"); }, [](consume_context&) {});
    billing->publish(order_placed{"1"}, ferry::immediate);
    expect_one_effect_after_three_failures();
}

TEST_F(DiskFull, does_not_send_again_and_again_what_it_cannot_delete) { // B52
    auto listener = shop::service("audit");
    listener->handle<invoice_created>([this](const invoice_created& invoice) { heard.add(invoice.order_id); });
    audit = started(*listener);
    auto builder = timed_service("shop");
    const auto selling = started(*builder);
    exec(*own(), "create trigger full before delete on ferry_outbox begin select raise(fail, 'no room'); end");
    const auto has_tried = [&](int times) {
        return testing::eventually([&] {
            return std::ranges::count_if(log.all(), [](const std::string& line) {
                       return line.contains("waits") && line.contains("no room");
                   }) >= times;
        });
    };
    selling->publish(invoice_created{"1"});
    for (int tries = 1; tries <= 4; ++tries) {
        ASSERT_TRUE(has_tried(tries));
        time.advance(10s);
    }
    exec(*own(), "drop trigger full");
    time.advance(10s);
    EXPECT_TRUE(testing::eventually([&] {
        time.advance(1s);
        return selling->outbox().counts().pending == 0;
    }));
    EXPECT_EQ(heard.all().size(), 1U);
    EXPECT_TRUE(testing::eventually([&] { return selling->counts().outbox_sent == 1U; })); // told after the row is gone
}

} // namespace
} // namespace ferry::scenarios
