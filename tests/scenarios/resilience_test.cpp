#include "shop.hpp"

#include <ferry/testing/harness.hpp>

#include <atomic>
#include <stdexcept>
#include <thread>

namespace ferry::scenarios {
namespace {

struct card_declined : std::runtime_error {
    using std::runtime_error::runtime_error;
};

void decline(const order_placed& order) { throw card_declined{"order " + order.order_id}; }

/// A shop whose clock the test moves, broker and all.
class Resilience : public shop {
protected:
    Resilience() { broker = std::make_shared<memory::broker>(memory::broker_options{}, clock{time}); }

    [[nodiscard]] std::unique_ptr<bus_builder> service(const std::string& name) {
        auto builder = shop::service(name);
        builder->clock(time).concurrency_limit(1);
        return builder;
    }
    /// Counts every call of the handler, and fails the first `times`.
    auto failing(int times) {
        return [this, times](const order_placed&, consume_context& context) {
            calls.add(context.attempt());
            if (std::cmp_less_equal(calls.all().size(), times)) {
                throw card_declined{"try " + std::to_string(calls.all().size())};
            }
            done.add(true);
        };
    }
    void pass_waits(int count) {
        for (; count > 0; --count) {
            waited.push_back(time.advance_to_next());
        }
    }
    [[nodiscard]] bool error_queue_reaches(std::size_t count, const std::string& queue = "billing.order-placed_error") {
        return testing::eventually([&] { return broker->depth(queue) >= count; });
    }

    testing::manual_clock time;
    record<attempt_number> calls;
    record<bool> done;
    std::vector<duration> waited;
};

TEST_F(Resilience, without_a_policy_is_one_attempt) { // B17
    testing::harness billing{[](bus_builder& builder) { builder.handle<order_placed>(&decline); }};
    billing.bus().publish(order_placed{"17"});
    billing.dead_lettered<order_placed>().await();
    billing.stop();
    EXPECT_EQ(billing.faulted<order_placed>().count(), 1U);
}

TEST_F(Resilience, retries_until_the_handler_succeeds) { // B18
    auto builder = service("billing");
    builder->resilience([](exception_policy& policy) { policy.otherwise().retry(3); });
    builder->handle<order_placed>(failing(2));
    const auto billing = started(*builder);
    billing->publish(order_placed{"17"});
    pass_waits(2);
    ASSERT_TRUE(done.reaches(1));
    EXPECT_EQ(calls.all().size(), 3U);
    billing->stop();
    EXPECT_EQ(broker->depth("billing.order-placed_error"), 0U);
    EXPECT_EQ(billing->counts().handled, 1U);
    EXPECT_EQ(billing->counts().retries, 2U);
}

TEST_F(Resilience, with_the_defaults_is_sixteen_attempts_in_four_rounds) { // B19 B32 B36
    auto builder = service("billing");
    builder->resilience().handle<order_placed>(failing(99));
    const auto billing = started(*builder);
    billing->publish(order_placed{"17"});
    pass_waits((4 * 3) + 3);
    ASSERT_TRUE(error_queue_reaches(1));
    const auto all = calls.all();
    ASSERT_EQ(all.size(), 16U);
    for (int i = 0; i < 16; ++i) {
        EXPECT_EQ(all[static_cast<std::size_t>(i)].retry, i % 4);
        EXPECT_EQ(all[static_cast<std::size_t>(i)].redelivery, i / 4);
    }
    const auto dead = broker->messages("billing.order-placed_error");
    EXPECT_EQ(*dead[0].headers.find("fault-attempts"), header_value{16});
    EXPECT_EQ(dead[0].headers.text("fault-consumer"), "order-placed");
    EXPECT_EQ(dead[0].headers.text("fault-message"), "try 16");
    billing->stop();
    EXPECT_EQ(billing->counts().redelivered, 3U);
    EXPECT_EQ(billing->counts().dead_lettered, 1U);
}

TEST_F(Resilience, discards_when_the_policy_says_so) { // B26
    auto builder = service("billing");
    builder->resilience([](exception_policy& policy) { policy.on<card_declined>().discard(); });
    builder->handle<order_placed>(failing(1));
    const auto billing = started(*builder);
    billing->publish(order_placed{"17"});
    billing->publish(order_placed{"18"});
    ASSERT_TRUE(done.reaches(1));
    billing->stop();
    EXPECT_EQ(calls.all().size(), 2U);
    EXPECT_EQ(billing->counts().discarded, 1U);
    EXPECT_EQ(broker->depth("billing.order-placed_error"), 0U);
    EXPECT_THAT(log.all(), ::testing::Contains(::testing::HasSubstr("was discarded")));
}

TEST_F(Resilience, dead_letters_when_the_policy_says_so) { // B27
    testing::harness billing{[](bus_builder& builder) {
        builder.resilience([](exception_policy& policy) {
            policy.on<card_declined>().dead_letter();
            policy.otherwise().retry();
        });
        builder.handle<order_placed>(&decline);
    }};
    billing.bus().publish(order_placed{"17"});
    billing.dead_lettered<order_placed>().await();
    billing.stop();
    EXPECT_EQ(billing.faulted<order_placed>().count(), 1U);
}

TEST_F(Resilience, retries_then_redelivers_then_dead_letters) { // B28
    testing::harness billing{[](bus_builder& builder) {
        builder.resilience(
            [](exception_policy& policy) { policy.otherwise().retry({1s}).then_redeliver({1min}).then_dead_letter(); });
        builder.handle<order_placed>(&decline);
    }};
    billing.bus().publish(order_placed{"17"});
    EXPECT_EQ(billing.clock().advance_to_next(), 1s);
    EXPECT_EQ(billing.clock().advance_to_next(), 1min);
    EXPECT_EQ(billing.clock().advance_to_next(), 1s);
    billing.dead_lettered<order_placed>().await();
    billing.stop();
    EXPECT_EQ(billing.faulted<order_placed>().count(), 4U);
    EXPECT_EQ(billing.scheduled<order_placed>().count(), 1U);
    EXPECT_EQ(billing.dead_lettered<order_placed>().count(), 1U);
}

TEST_F(Resilience, of_the_narrowest_scope_replaces_the_whole_set) { // B30
    const auto attempts = [](bool at_transport, bool at_endpoint, bool at_consumer) {
        const auto set = [](int retries) {
            return [retries](exception_policy& policy) {
                policy.on<std::logic_error>().discard(); // of no use here, and not merged into others
                policy.on<card_declined>().retry(
                    {.attempts = retries, .base_delay = 0s, .growth = backoff::constant, .jitter = 0});
            };
        };
        testing::harness billing{[&](bus_builder& builder) {
            builder.resilience(set(1));
            builder.transport(memory::transport{}, [&](transport_builder& transport) {
                if (at_transport) {
                    transport.resilience(set(2));
                }
            });
            builder.endpoint("desk", [&](endpoint_builder& endpoint) {
                if (at_endpoint) {
                    endpoint.resilience(set(3));
                }
                endpoint.handle<order_placed>(&decline, [&](consumer_builder& consumer) {
                    if (at_consumer) {
                        consumer.resilience([](exception_policy& policy) { policy.on<std::logic_error>().retry(9); });
                    }
                });
            });
        }};
        billing.bus().publish(order_placed{"17"});
        billing.dead_lettered<order_placed>().await();
        billing.stop();
        return billing.faulted<order_placed>().count();
    };
    EXPECT_EQ(attempts(false, false, false), 2U);
    EXPECT_EQ(attempts(true, false, false), 3U);
    EXPECT_EQ(attempts(true, true, false), 4U);
    EXPECT_EQ(attempts(true, true, true), 1U) << "the consumer's own set has no rule for it";
}

TEST_F(Resilience, ends_its_wait_when_the_bus_stops_and_gives_the_message_back) { // B31
    auto builder = service("billing");
    builder->resilience([](exception_policy& policy) { policy.otherwise().retry({1h}); });
    builder->handle<order_placed>(failing(99));
    const auto billing = started(*builder);
    billing->publish(order_placed{"17"});
    time.await_waiters();
    EXPECT_TRUE(billing->stop().complete());
    EXPECT_EQ(calls.all().size(), 1U);
    EXPECT_EQ(broker->depth("billing.order-placed"), 1U);
    EXPECT_EQ(broker->depth("billing.order-placed_error"), 0U);
    EXPECT_EQ(billing->counts().returned, 1U);
}

TEST_F(Resilience, sends_nothing_of_an_attempt_that_failed) { // B33
    testing::harness billing{[](bus_builder& builder) {
        builder.resilience([](exception_policy& policy) { policy.otherwise().retry({1s}); });
        builder.handle<order_placed>([](const order_placed&, consume_context& context) {
            context.publish(invoice_created{"attempt " + std::to_string(context.attempt().retry)});
            if (context.attempt().is_first()) {
                throw card_declined{"no"};
            }
        });
    }};
    billing.bus().publish(order_placed{"17"});
    EXPECT_EQ(billing.clock().advance_to_next(), 1s);
    billing.handled<order_placed>().await();
    billing.stop();
    const auto invoices = billing.published<invoice_created>().messages();
    ASSERT_EQ(invoices.size(), 1U);
    EXPECT_EQ(invoices[0].order_id, "attempt 1");
}

TEST_F(Resilience, retries_requests_but_does_not_redeliver_them) { // B15
    std::atomic<int> tries = 0;
    auto builder = service("printing");
    builder->resilience([](exception_policy& policy) { policy.otherwise().retry({1s}).then_redeliver(); });
    builder->serve<print_label>([&](const print_label& label) -> label_printed {
        if (++tries % 3 != 0) {
            throw card_declined{"out of paper"};
        }
        return {label.order_id};
    });
    const auto printing = started(*builder);
    std::jthread mover{[&] {
        time.await_waiter_for(time.now() + 1s); // and not for the request's own timeout
        time.advance(1s);
    }};
    EXPECT_THROW((void)printing->request<label_printed>(print_label{"17"}), remote_error);
    EXPECT_EQ(tries, 2) << "one retry, and the caller is told";
    mover.join();
    EXPECT_EQ(printing->request<label_printed>(print_label{"18"}).label, "18");
    printing->stop();
    EXPECT_EQ(broker->delayed(), 0U);
    EXPECT_EQ(broker->depth("print-label_error"), 0U);
}

TEST_F(Resilience, redelivers_to_the_failing_endpoint_alone_and_frees_its_slot) { // B34 B35
    record<std::string> handled;
    record<std::string> shipped;
    auto builder = service("billing");
    builder->resilience([](exception_policy& policy) { policy.otherwise().redeliver({5min}); });
    builder->handle<order_placed>([&](const order_placed& order, consume_context& context) {
        handled.add(order.order_id + " " + context.message_id().to_string());
        if (order.order_id == "bad" && context.attempt().redelivery == 0) {
            throw card_declined{"no"};
        }
    });
    const auto billing = started(*builder);
    auto other = service("shipping");
    other->handle<order_placed>([&](const order_placed& order) { shipped.add(order.order_id); });
    const auto shipping = started(*other);

    billing->publish(order_placed{"bad"});
    billing->publish(order_placed{"good"});
    ASSERT_TRUE(handled.reaches(2)) << "the slot goes on with the next message meanwhile";
    EXPECT_EQ(broker->delayed(), 1U);
    pass_waits(1);
    ASSERT_TRUE(handled.reaches(3));
    const auto all = handled.all();
    EXPECT_EQ(all[0], all[2]) << "the same message id";
    ASSERT_TRUE(shipped.reaches(2));
    billing->stop();
    shipping->stop();
    EXPECT_EQ(waited, std::vector<duration>{5min});
    EXPECT_EQ(shipped.all().size(), 2U) << "the other service saw each once";
}

class ConsumersFailAlone : public Resilience {
protected:
    /// Two handlers on one endpoint; the first fails as often as told.
    std::unique_ptr<bus> desk(int failures, const std::function<void(exception_policy&)>& policy) {
        auto builder = service("billing");
        builder->endpoint("desk", [&](endpoint_builder& endpoint) {
            endpoint.handle<order_placed>(
                failing(failures), [&](consumer_builder& consumer) { consumer.name("failing").resilience(policy); });
            endpoint.handle<order_placed>([this](const order_placed&) { ++sibling; },
                                          [](consumer_builder& consumer) { consumer.name("sibling"); });
        });
        return started(*builder);
    }
    std::atomic<int> sibling = 0;
};

TEST_F(ConsumersFailAlone, while_one_is_retried) {
    const auto bus = desk(2, [](exception_policy& policy) { policy.otherwise().retry({1s, 1s}); });
    bus->publish(order_placed{"17"});
    pass_waits(2);
    ASSERT_TRUE(done.reaches(1));
    bus->stop();
    EXPECT_EQ(sibling, 1);
    EXPECT_EQ(bus->counts().handled, 1U);
}

TEST_F(ConsumersFailAlone, while_one_is_redelivered) {
    const auto bus = desk(2, [](exception_policy& policy) { policy.otherwise().redeliver({1min, 2min}); });
    bus->publish(order_placed{"17"});
    pass_waits(2);
    ASSERT_TRUE(done.reaches(1));
    bus->stop();
    EXPECT_EQ(calls.all().size(), 3U);
    EXPECT_EQ(sibling, 1) << "its work was done, and is not repeated";
}

TEST_F(ConsumersFailAlone, when_one_ends_in_the_error_queue) {
    const auto bus = desk(99, [](exception_policy& policy) { policy.otherwise().redeliver({1min}); });
    bus->publish(order_placed{"17"});
    pass_waits(1);
    ASSERT_TRUE(error_queue_reaches(1, "desk_error"));
    bus->stop();
    EXPECT_EQ(sibling, 1);
    EXPECT_EQ(broker->messages("desk_error")[0].headers.text("fault-consumer"), "failing");
}

TEST_F(Resilience, limits_the_time_of_a_handler) {
    auto builder = service("billing");
    builder->resilience([](exception_policy& policy) { policy.on<handler_timeout>().retry({1s}); });
    builder->handle<order_placed>(
        [&](const order_placed&, consume_context& context) {
            calls.add(context.attempt());
            if (context.attempt().is_first()) {
                std::atomic<bool> stopped = false;
                const std::stop_callback on_stop{context.stopping(), [&] {
                                                     stopped = true;
                                                     stopped.notify_all();
                                                 }};
                stopped.wait(false);
                return;
            }
            done.add(true);
        },
        [](consumer_builder& consumer) { consumer.handler_timeout(10s); });
    const auto billing = started(*builder);
    billing->publish(order_placed{"17"});
    pass_waits(2);
    ASSERT_TRUE(done.reaches(1));
    EXPECT_EQ(waited, (std::vector<duration>{10s, 1s}));
    billing->stop();
    EXPECT_EQ(billing->counts().handled, 1U);
}

TEST_F(Resilience, leaves_messages_to_the_broker_where_the_error_queue_is_switched_off) { // B41
    auto builder = service("billing");
    builder->endpoint("desk",
                      [&](endpoint_builder& endpoint) { endpoint.no_error_queue().handle<order_placed>(failing(2)); });
    const auto billing = started(*builder);
    billing->publish(order_placed{"17"});
    pass_waits(1);
    EXPECT_EQ(waited, std::vector<duration>{200ms}) << "the second time, so that it does not go round in circles";
    ASSERT_TRUE(done.reaches(1)) << "put back each time, since this broker was given no dead letters for the queue";
    billing->stop();
    EXPECT_EQ(billing->counts().rejected, 2U);
    EXPECT_FALSE(broker->has_queue("desk_error"));
}

TEST_F(Resilience, is_shown_by_describe) {
    auto builder = service("billing");
    builder->resilience([](exception_policy& policy) {
        policy.on<card_declined>([](const card_declined&) { return true; }).retry(2).then_discard();
        policy.otherwise().redeliver({5min});
    });
    builder->handle<order_placed>([](const order_placed&) {},
                                  [](consumer_builder& consumer) { consumer.handler_timeout(30s); });
    const bus_description built = builder->build().describe();
    const auto& consumer = built.endpoints[0].consumers[0];
    ASSERT_EQ(consumer.policy.size(), 2U);
    EXPECT_THAT(consumer.policy[0],
                ::testing::EndsWith("card_declined (conditional): retry 2 x 200 ms exponential, then discard"));
    EXPECT_EQ(consumer.policy[1], "otherwise: redeliver 5 min, then dead letter");
    EXPECT_EQ(consumer.handler_timeout, "30 s");
    EXPECT_EQ(built.endpoints[0].circuit_breaker, "50 % of at least 10 in 10 s, for 30 s");
    EXPECT_EQ(built.endpoints[0].transport_circuit_breaker, "10 % of at least 10 in 10 s, for 30 s");
    EXPECT_THAT(built.text(), ::testing::HasSubstr("    on     otherwise: redeliver 5 min, then dead letter\n"));
}

} // namespace
} // namespace ferry::scenarios
