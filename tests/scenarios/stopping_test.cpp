#include "shop.hpp"

#include <pthread.h>

#include <atomic>
#include <csignal>
#include <thread>

namespace ferry::scenarios {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

class Stopping : public shop {
protected:
    watched<bool> release{false};
    record<std::string> begun;
    std::atomic<int> finished = 0;

    void wait_for_release() {
        (void)release.eventually([](bool yes) { return yes; });
    }
    void let_go() {
        release.change([](bool& yes) { yes = true; });
    }
    /// How many messages were published before the last that can be seen, which were numbered from 0.
    [[nodiscard]] static std::size_t accepted_by(const std::vector<std::string>& seen) {
        int last = -1;
        for (const std::string& each : seen) {
            last = std::max(last, std::stoi(each));
        }
        return static_cast<std::size_t>(last + 1);
    }
    /// Returns when the bus lets nothing more through.
    static void await_closed(bus& stopping) {
        try {
            while (true) {
                stopping.publish(invoice_created{"for nobody"});
            }
        } catch (const not_running&) {
            return;
        }
    }
    [[nodiscard]] std::unique_ptr<bus_builder> slow_service() {
        auto builder = service("billing");
        builder->concurrency_limit(1).handle<order_placed>([this](const order_placed& order) {
            begun.add(order.order_id);
            wait_for_release();
            ++finished;
        });
        return builder;
    }
};

TEST_F(Stopping, finishes_what_runs_and_gives_back_what_has_not_begun) { // B94
    auto builder = slow_service();
    const auto billing = started(*builder);
    for (const char* id : {"1", "2", "3"}) {
        billing->publish(order_placed{id});
    }
    ASSERT_TRUE(begun.reaches(1));
    std::jthread stopper{[&] { EXPECT_TRUE(billing->stop().complete()); }};
    // The subscription ends first, so the queue has the others back before the handler is let go.
    while (broker->depth("billing.order-placed") != 2) {
        std::this_thread::yield();
    }
    let_go();
    stopper.join();
    EXPECT_EQ(finished, 1);
    EXPECT_EQ(broker->depth("billing.order-placed"), 2U);
}

TEST_F(Stopping, reports_handlers_that_outlast_the_deadline) { // B94
    auto builder = slow_service();
    builder->stop_timeout(0s);
    const auto billing = started(*builder);
    billing->publish(order_placed{"1"});
    ASSERT_TRUE(begun.reaches(1));
    EXPECT_EQ(billing->stop().still_running, std::vector<std::string>{"billing.order-placed"});
    let_go();
}

TEST_F(Stopping, gives_a_message_back_whose_handler_schedules_too_late) { // B94
    auto builder = service("billing");
    builder->stop_timeout(0s).handle<order_placed>([this](const order_placed& order, consume_context& context) {
        begun.add(order.order_id);
        wait_for_release();
        context.schedule_publish(invoice_created{order.order_id}, 1h);
    });
    auto billing = started(*builder);
    billing->publish(order_placed{"1"});
    ASSERT_TRUE(begun.reaches(1));
    EXPECT_FALSE(billing->stop().complete());
    let_go();
    billing.reset();
    EXPECT_EQ(broker->depth("billing.order-placed"), 1U) << "what it wanted to happen later would never happen";
}

TEST_F(Stopping, gives_a_message_back_whose_handler_gives_up) { // B94
    auto builder = service("billing");
    builder->handle<order_placed>([&](const order_placed& order, consume_context& context) {
        begun.add(order.order_id);
        const std::stop_callback on_stop{context.stopping(), [this] { let_go(); }};
        wait_for_release();
        throw std::runtime_error{"asked to stop"};
    });
    const auto billing = started(*builder);
    billing->publish(order_placed{"1"});
    ASSERT_TRUE(begun.reaches(1));
    EXPECT_TRUE(billing->stop().complete());
    EXPECT_EQ(broker->depth("billing.order-placed"), 1U);
    EXPECT_EQ(broker->depth("billing.order-placed_error"), 0U);
}

TEST_F(Stopping, can_have_all_the_time_there_is) {
    auto builder = slow_service();
    builder->stop_timeout(duration::max());
    const auto billing = started(*builder);
    billing->publish(order_placed{"1"});
    ASSERT_TRUE(begun.reaches(1));
    std::jthread stopper{[&] { EXPECT_TRUE(billing->stop().complete()); }};
    while (billing->health().running) {
        std::this_thread::yield();
    }
    let_go();
}

TEST_F(Stopping, tells_handlers_that_the_bus_stops) {
    std::atomic<bool> told = false;
    auto builder = service("billing");
    builder->handle<order_placed>([&](const order_placed& order, consume_context& context) {
        begun.add(order.order_id);
        std::atomic<bool> stopped = false;
        const std::stop_callback on_stop{context.stopping(), [&] {
                                             stopped = true;
                                             stopped.notify_all();
                                         }};
        stopped.wait(false);
        told = true;
    });
    const auto billing = started(*builder);
    billing->publish(order_placed{"1"});
    ASSERT_TRUE(begun.reaches(1));
    EXPECT_TRUE(billing->stop().complete());
    EXPECT_TRUE(told);
}

TEST_F(Stopping, lets_a_running_handler_send) {
    auto builder = service("shipping");
    builder->handle<invoice_created>([](const invoice_created&) {}); // first, so it stops taking first
    builder->handle<order_placed>([&](const order_placed& order, consume_context& context) {
        begun.add(order.order_id);
        const std::stop_callback on_stop{context.stopping(), [&] { let_go(); }};
        wait_for_release();
        context.publish(invoice_created{order.order_id});
    });
    const auto shipping = started(*builder);
    shipping->publish(order_placed{"1"});
    ASSERT_TRUE(begun.reaches(1));
    EXPECT_TRUE(shipping->stop().complete());
    EXPECT_EQ(broker->depth("shipping.invoice-created"), 1U) << "sent, for the next instance to handle";
    EXPECT_EQ(broker->depth("shipping.order-placed"), 0U);
}

TEST_F(Stopping, waits_for_a_message_that_is_on_its_way_to_the_transport) { // B94
    auto builder = service("billing");
    builder->handle<order_placed>([this](const order_placed&) { ++finished; });
    std::unique_ptr<bus> billing;
    std::jthread stopper;
    builder->use("hold_up", [&](dispatch_context& message, next<dispatch_context> next) {
        if (message.envelope.message_type == message_type::of<order_placed>().urn) {
            stopper = std::jthread{[&] { billing->stop(); }};
            await_closed(*billing);
        }
        next(message);
    });
    billing = started(*builder);
    EXPECT_NO_THROW(billing->publish(order_placed{"1"}));
    stopper.join();
    EXPECT_EQ(finished + broker->depth("billing.order-placed"), 1U) << "handled before the stop, or there for the next";
}

TEST_F(Stopping, happens_when_the_bus_is_destroyed) {
    {
        auto builder = slow_service();
        const auto billing = started(*builder);
        billing->publish(order_placed{"1"});
        ASSERT_TRUE(begun.reaches(1));
        let_go();
    }
    EXPECT_EQ(finished, 1);
}

TEST_F(Stopping, follows_a_signal_while_it_runs) {
    auto builder = service("billing");
    watched<bool> running;
    builder->log([&](log_level, std::string_view line) {
        if (line.contains("started")) {
            running.change([](bool& yes) { yes = true; });
        }
    });
    bus billing = builder->build();
    std::jthread runner{[&] { EXPECT_TRUE(billing.run().complete()); }};
    ASSERT_TRUE(running.eventually([](bool yes) { return yes; }));
    std::raise(SIGTERM);
}

TEST_F(Stopping, ends_run_whoever_stops_the_bus) {
    auto builder = service("billing");
    bus billing = builder->build();
    std::jthread runner{[&] { EXPECT_TRUE(billing.run().complete()); }};
    ASSERT_TRUE(log.reaches(1));
    billing.stop();
}

TEST_F(Stopping, ends_the_process_at_a_second_signal) { // B94
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(
        {
            auto builder = slow_service();
            builder->log([](log_level, std::string_view line) {
                if (line.contains("stopping")) {
                    std::raise(SIGINT);
                }
            });
            bus billing = builder->build();
            std::jthread sender{[&] {
                while (true) {
                    try {
                        billing.publish(order_placed{"1"});
                        break;
                    } catch (const not_running&) {
                        std::this_thread::yield();
                    }
                }
                (void)begun.reaches(1);
                std::raise(SIGINT);
            }};
            billing.run();
        },
        ::testing::ExitedWithCode(128 + SIGINT), "");
}

class Slots : public shop {};

TEST_F(Slots, of_one_endpoint_never_delay_another) { // B48
    watched<bool> release{false};
    record<std::string> shipped;
    auto builder = service("shop");
    builder->handle<order_placed>([&](const order_placed&) { (void)release.eventually([](bool yes) { return yes; }); });
    builder->serve<ship_order>([&](const ship_order& order) { shipped.add(order.order_id); });
    const auto both = started(*builder);
    for (int i = 0; i < 100; ++i) {
        both->publish(order_placed{"slow"});
    }
    both->send(ship_order{"17"});
    EXPECT_TRUE(shipped.reaches(1));
    release.change([](bool& yes) { yes = true; });
}

TEST_F(Slots, are_never_more_than_the_limit) { // B47
    std::atomic<int> at_once = 0;
    std::atomic<int> most = 0;
    watched<int> done;
    auto builder = service("billing");
    builder->concurrency_limit(1).handle<order_placed>([&](const order_placed&) {
        most = std::max(most.load(), ++at_once);
        std::this_thread::yield();
        --at_once;
        done.change([](int& count) { ++count; });
    });
    const auto billing = started(*builder);
    for (int i = 0; i < 5; ++i) {
        billing->publish(order_placed{"x"});
    }
    ASSERT_TRUE(done.eventually([](int count) { return count == 5; }));
    EXPECT_EQ(most, 1);
}

TEST_F(Stopping, under_load_loses_nothing_and_acknowledges_nothing_unhandled) { // B31 B94
    constexpr int published = 3000;
    for (const int handled_before : {1, 700, 1500}) {
        broker = std::make_shared<memory::broker>();
        record<std::string> succeeded;
        auto builder = service("billing");
        builder->concurrency_limit(4).circuit_breaker({.enabled = false});
        builder->resilience([](exception_policy& policy) {
            policy.on<std::logic_error>().retry({1h}); // a slot waits with it until the bus stops
            policy.on<std::runtime_error>().dead_letter();
        });
        builder->handle<order_placed>([&](const order_placed& order) {
            if (order.quantity % 1000 == 999) {
                throw std::logic_error{"later"};
            }
            if (order.quantity % 7 == 0) {
                throw std::runtime_error{"never"};
            }
            succeeded.add(order.order_id);
        });
        const auto billing = started(*builder);
        std::jthread publisher{[&] {
            try {
                for (int i = 0; i < published; ++i) {
                    billing->publish(order_placed{std::to_string(i), i});
                }
            } catch (const not_running&) { // what was not published is in no queue
                return;
            }
        }};
        ASSERT_TRUE(succeeded.reaches(static_cast<std::size_t>(handled_before)));
        EXPECT_TRUE(billing->stop().complete());
        publisher.join();

        std::vector<std::string> seen = succeeded.all();
        for (const char* queue : {"billing.order-placed", "billing.order-placed_error"}) {
            for (const envelope& each : broker->messages(queue)) {
                order_placed order;
                decode_body(each, message_type::of<order_placed>(), &order);
                seen.push_back(order.order_id);
            }
        }
        std::ranges::sort(seen);
        EXPECT_EQ(std::ranges::adjacent_find(seen), seen.end()) << "nothing is both handled and still there";
        const bus_counts counts = billing->counts();
        EXPECT_EQ(counts.handled, succeeded.all().size());
        EXPECT_GE(seen.size(), succeeded.all().size());
        EXPECT_EQ(seen.size(), counts.handled + counts.dead_lettered + broker->depth("billing.order-placed"));
        EXPECT_EQ(seen.size(), accepted_by(seen)) << "every confirmed message is somewhere";
    }
}

TEST_F(Stopping, says_which_messages_end_with_a_broker_of_its_own) {
    auto builder = service("billing");
    builder->transport(memory::transport{}).concurrency_limit(1);
    builder->handle<order_placed>([&](const order_placed& order, consume_context& context) {
        begun.add(order.order_id);
        const std::stop_callback on_stop{context.stopping(), [this] { let_go(); }};
        wait_for_release();
    });
    const auto billing = started(*builder);
    for (const char* id : {"1", "2", "3"}) {
        billing->publish(order_placed{id});
    }
    ASSERT_TRUE(begun.reaches(1));
    billing->stop();
    EXPECT_THAT(log.all(), ::testing::Contains("memory: messages end with this transport: 2 in billing.order-placed"));
}

/// What every thread made from now on gets unless it is told otherwise; put back at the end.
class default_stack_size {
public:
    default_stack_size() { pthread_getattr_default_np(&before_); }
    default_stack_size(const default_stack_size&) = delete;
    default_stack_size& operator=(const default_stack_size&) = delete;
    ~default_stack_size() { pthread_setattr_default_np(&before_); }

    static void be(std::size_t bytes) {
        pthread_attr_t wanted;
        pthread_attr_init(&wanted);
        pthread_attr_setstacksize(&wanted, bytes);
        pthread_setattr_default_np(&wanted);
        pthread_attr_destroy(&wanted);
    }

private:
    pthread_attr_t before_;
};

/// Carries everything, but once somebody consumes, no more threads can be made.
class last_transport_with_threads final : public transport {
public:
    explicit last_transport_with_threads(const std::shared_ptr<memory::broker>& broker) : carrier_{broker} {}

    [[nodiscard]] std::string_view name() const noexcept override { return carrier_.name(); }
    void start(const transport_host& host) override { carrier_.start(host); }
    void stop() noexcept override { carrier_.stop(); }
    [[nodiscard]] transport_health health() const override { return carrier_.health(); }
    void declare(const topology& wanted) override { carrier_.declare(wanted); }
    void send(const envelope& message, send_callback on_outcome) override {
        carrier_.send(message, std::move(on_outcome));
    }
    [[nodiscard]] std::unique_ptr<subscription> consume(const std::string& queue, const consume_options& options,
                                                        delivery_sink& sink) override {
        default_stack_size::be(std::size_t{1} << 50); // more than there are addresses
        return carrier_.consume(queue, options, sink);
    }

private:
    memory::transport carrier_;
};

TEST_F(Stopping, ends_at_once_when_a_slot_cannot_be_started) {
    const default_stack_size restored;
    bus_builder builder{"billing"};
    builder.transport(std::make_unique<last_transport_with_threads>(broker))
        .stop_timeout(1s)
        .log([this](log_level, std::string_view line) { log.add(std::string{line}); });
    builder.handle<order_placed>([](const order_placed&) {});
    bus billing = builder.build();

    try {
        billing.start();
        FAIL() << "no slot has a thread";
    } catch (const error& thrown) {
        EXPECT_THAT(thrown.what(), HasSubstr("billing.order-placed: no thread could be started for slot 1"));
    }

    EXPECT_TRUE(billing.stop().complete());
    EXPECT_THAT(log.all(), Not(Contains(HasSubstr("still running")))) << "there is nobody to wait for";
}

} // namespace
} // namespace ferry::scenarios
