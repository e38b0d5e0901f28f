#include "note_taker.hpp"
#include "shop.hpp"

#include <ferry/observer.hpp>

#include <atomic>
#include <iterator>
#include <stdexcept>

namespace ferry::scenarios {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;

/// An observer nobody should use.
class broken final : public observer {
public:
    std::unique_ptr<observation> dispatching(dispatch_context& /*message*/) override { fail(); }
    std::unique_ptr<observation> receiving(receive_context& /*message*/) override { fail(); }
    std::unique_ptr<observation> handling(consume_context& /*message*/) override { fail(); }

private:
    [[noreturn]] static void fail() { throw std::runtime_error{"no room for notes"}; }
};

class Observers : public shop {
protected:
    [[nodiscard]] std::unique_ptr<bus_builder> observed_service(const std::string& name) {
        auto builder = service(name);
        builder->concurrency_limit(1).observe(std::make_shared<note_taker>(notes));
        return builder;
    }

    record<std::string> notes;
};

TEST_F(Observers, hear_of_a_message_from_beginning_to_end) { // B97
    auto builder = observed_service("billing");
    builder->handle<order_placed>([](const order_placed&) {});
    const auto billing = started(*builder);
    billing->publish(order_placed{"17"});
    ASSERT_TRUE(notes.reaches(7));
    billing->stop();
    const auto all = notes.all();
    EXPECT_THAT(all, IsSupersetOf({"dispatch of order-placed begins", "dispatch of order-placed is confirmed",
                                   "dispatch of order-placed ends"}));
    std::vector<std::string> received;
    std::ranges::copy_if(all, std::back_inserter(received),
                         [](const std::string& line) { return !line.starts_with("dispatch"); });
    EXPECT_THAT(received, ElementsAre("delivery of order-placed begins", "attempt of order-placed begins",
                                      "attempt of order-placed ends", "delivery of order-placed ends"));
}

TEST_F(Observers, may_write_headers_that_travel_with_the_message) { // B97
    record<std::string> seen;
    auto builder = observed_service("billing");
    builder->handle<order_placed>(
        [&](const order_placed&, consume_context& context) { seen.add(std::string{context.headers().text("seen")}); });
    const auto billing = started(*builder);
    billing->publish(order_placed{"17"});
    ASSERT_TRUE(seen.reaches(1));
    EXPECT_EQ(seen.all().front(), "by the observer");
}

TEST_F(Observers, hear_of_each_attempt_and_of_the_dead_letter) { // B98
    auto builder = observed_service("billing");
    builder->resilience([](exception_policy& policy) { policy.otherwise().retry(1, 1ms); });
    builder->handle<order_placed>([](const order_placed&) { throw std::runtime_error{"declined"}; });
    const auto billing = started(*builder);
    billing->publish(order_placed{"17"});
    ASSERT_TRUE(
        notes.eventually_contains([](const std::string& line) { return line == "delivery of order-placed ends"; }));
    std::vector<std::string> received;
    std::ranges::copy_if(notes.all(), std::back_inserter(received),
                         [](const std::string& line) { return !line.starts_with("dispatch"); });
    EXPECT_THAT(received,
                ElementsAre("delivery of order-placed begins", "attempt of order-placed begins",
                            "attempt of order-placed fails: declined", "attempt of order-placed ends",
                            "delivery of order-placed retried: declined", "attempt of order-placed begins",
                            "attempt of order-placed fails: declined", "attempt of order-placed ends",
                            "delivery of order-placed dead-lettered: declined", "delivery of order-placed ends"));
}

TEST_F(Observers, hear_of_a_redelivery) { // B98
    std::atomic<int> calls{0};
    auto builder = observed_service("billing");
    builder->resilience([](exception_policy& policy) { policy.otherwise().redeliver({1ms}); });
    builder->handle<order_placed>([&](const order_placed&) {
        if (++calls == 1) {
            throw std::runtime_error{"not yet"};
        }
    });
    const auto billing = started(*builder);
    billing->publish(order_placed{"17"});
    ASSERT_TRUE(
        testing::eventually([&] { return std::ranges::count(notes.all(), "delivery of order-placed ends") == 2; }));
    EXPECT_THAT(notes.all(), Contains("delivery of order-placed redelivered: not yet"));
}

TEST_F(Observers, hear_of_a_policy_that_forgets) { // B98
    auto builder = observed_service("billing");
    builder->resilience([](exception_policy& policy) { policy.otherwise().discard(); });
    builder->handle<order_placed>([](const order_placed&) { throw std::runtime_error{"unwanted"}; });
    const auto billing = started(*builder);
    billing->publish(order_placed{"17"});
    ASSERT_TRUE(
        notes.eventually_contains([](const std::string& line) { return line == "delivery of order-placed ends"; }));
    EXPECT_THAT(notes.all(), Contains("delivery of order-placed discarded: unwanted"));
}

TEST_F(Observers, hear_that_a_message_found_nobody) { // B98
    auto builder = observed_service("shop");
    const auto running = started(*builder);
    EXPECT_THROW(running->send(ship_order{"17"}), transport_error);
    EXPECT_THAT(notes.all(), ElementsAre("dispatch of ship-order begins", "dispatch of ship-order is not confirmed",
                                         HasSubstr("dispatch of ship-order fails: there is no queue:ship-order"),
                                         "dispatch of ship-order ends"));
}

TEST_F(Observers, hear_of_no_failure_where_an_event_found_nobody) { // B98
    auto builder = observed_service("shop");
    const auto running = started(*builder);
    running->publish(order_placed{"17"});
    EXPECT_THAT(notes.all(), ElementsAre("dispatch of order-placed begins", "dispatch of order-placed is not confirmed",
                                         "dispatch of order-placed ends"));
}

TEST_F(Observers, hear_of_a_scheduled_message_when_it_is_kept_and_when_it_is_sent) { // B97
    auto builder = observed_service("shop");
    builder->handle<order_placed>([](const order_placed&) {});
    const auto running = started(*builder);
    (void)running->schedule_publish(order_placed{"17"}, 1ms);
    ASSERT_TRUE(
        notes.eventually_contains([](const std::string& line) { return line == "schedule of order-placed ends"; }));
    EXPECT_THAT(notes.all(),
                IsSupersetOf({"dispatch of order-placed begins", "dispatch of order-placed ends",
                              "schedule of order-placed begins", "schedule of order-placed is confirmed"}));
}

TEST_F(Observers, change_nothing_when_they_fail) { // B100
    record<std::string> handled;
    auto builder = observed_service("billing");
    builder->observe(std::make_shared<broken>());
    builder->handle<order_placed>([&](const order_placed& order) { handled.add(order.order_id); });
    const auto billing = started(*builder);
    billing->publish(order_placed{"17"});
    ASSERT_TRUE(handled.reaches(1));
    billing->stop();
    EXPECT_EQ(billing->counts().handled, 1U);
    EXPECT_THAT(notes.all(), Contains("delivery of order-placed ends"));
    EXPECT_THAT(log.all(), Contains(HasSubstr("an observer failed: no room for notes")));
}

TEST_F(Observers, hear_the_same_where_there_are_several) { // B97
    record<std::string> other;
    auto builder = observed_service("billing");
    builder->observe(std::make_shared<note_taker>(other));
    builder->handle<order_placed>([](const order_placed&) { throw std::runtime_error{"declined"}; });
    const auto billing = started(*builder);
    billing->publish(order_placed{"17"});
    ASSERT_TRUE(
        notes.eventually_contains([](const std::string& line) { return line == "delivery of order-placed ends"; }));
    billing->stop();
    EXPECT_THAT(other.all(), ::testing::UnorderedElementsAreArray(notes.all()));
}

TEST_F(Observers, cost_no_stage_where_there_are_none) { // B101
    auto watched = observed_service("billing");
    watched->handle<order_placed>([](const order_placed&) {});
    EXPECT_THAT(watched->build().describe().text(), HasSubstr("instrumentation"));
    auto alone = service("billing");
    alone->handle<order_placed>([](const order_placed&) {});
    EXPECT_THAT(alone->build().describe().text(), ::testing::Not(HasSubstr("instrumentation")));
}

TEST_F(Observers, may_ask_the_bus_while_it_runs) { // B99
    /// Asks in another thread, as whoever collects measurements does.
    class asking final : public observer {
    public:
        asking(record<std::string>& answers) : answers_{answers} {}

        void started(const observed_bus& bus) override {
            thread_ = std::jthread{[this, &bus](const std::stop_token& end) {
                while (!end.stop_requested()) {
                    answers_.add(std::string{bus.service_name()} + " on " + std::string{bus.transport_name()} + ", " +
                                 bus.health().endpoints.at(0).name + ", " + std::to_string(bus.counts().handled));
                }
            }};
        }
        void stopped() noexcept override {
            thread_ = {};
            answers_.add("stopped");
        }

    private:
        record<std::string>& answers_;
        std::jthread thread_;
    };
    record<std::string> answers;
    auto builder = service("billing");
    builder->observe(std::make_shared<asking>(answers)).observe(std::make_shared<note_taker>(notes));
    builder->handle<order_placed>([](const order_placed&) {});
    const auto billing = started(*builder);
    billing->publish(order_placed{"17"});
    EXPECT_TRUE(answers.eventually_contains(
        [](const std::string& line) { return line == "billing on memory, billing.order-placed, 1"; }));
    billing->stop();
    EXPECT_EQ(answers.all().back(), "stopped");
}

} // namespace
} // namespace ferry::scenarios
