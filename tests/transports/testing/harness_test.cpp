#include <ferry/memory/transport.hpp>
#include <ferry/testing/harness.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace ferry::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

struct order_placed {
    std::string order_id;
};
struct invoice_created {
    std::string order_id;
};
struct print_label {
    std::string order_id;
};
struct label_printed {
    std::string label;
};

void billing(const order_placed& order, consume_context& context) {
    context.publish(invoice_created{order.order_id});
    if (order.order_id == "bad") {
        throw std::invalid_argument{"no such customer"};
    }
}

TEST(Harness, sees_what_a_handler_publishes) {
    harness test{[](bus_builder& builder) { builder.handle<order_placed>(&billing); }};
    test.bus().publish(order_placed{"17"});
    EXPECT_EQ(test.published<invoice_created>().first().order_id, "17");
    EXPECT_EQ(test.handled<order_placed>().await().count(), 1U);
}

TEST(Harness, sees_failed_attempts_and_dead_letters_and_nothing_of_what_they_sent) {
    harness test{[](bus_builder& builder) { builder.handle<order_placed>(&billing); }};
    test.bus().publish(order_placed{"bad"});
    const auto dead = test.dead_lettered<order_placed>().await().sightings();
    EXPECT_EQ(dead[0].envelope.headers.text("fault-message"), "no such customer");
    const auto faults = test.faulted<order_placed>().sightings();
    ASSERT_EQ(faults.size(), 1U);
    EXPECT_EQ(faults[0].failure.type, "std::invalid_argument");
    EXPECT_EQ(faults[0].consumer, "order-placed");
    test.stop();
    EXPECT_EQ(test.published<invoice_created>().count(), 0U);
    EXPECT_THAT(test.log(), ::testing::Contains(HasSubstr("went to test.order-placed_error")));
}

TEST(Harness, runs_through_policies_without_waiting) {
    harness test{[](bus_builder& builder) { builder.resilience().handle<order_placed>(&billing); }};
    test.bus().publish(order_placed{"bad"});
    for (int i = 0; i < (4 * 3) + 3; ++i) {
        test.clock().advance_to_next();
    }
    test.dead_lettered<order_placed>().await();
    test.stop();
    EXPECT_EQ(test.faulted<order_placed>().count(), 16U);
    EXPECT_EQ(test.scheduled<order_placed>().count(), 3U);
}

TEST(Harness, does_not_wait_for_the_timeout_of_a_handler_that_has_ended) {
    harness test{[](bus_builder& builder) {
        builder.resilience([](exception_policy& policy) { policy.otherwise().retry({1s}); });
        builder.handler_timeout(10s).handle<order_placed>(&billing);
    }};
    test.bus().publish(order_placed{"bad"});
    test.faulted<order_placed>().await();
    EXPECT_EQ(test.clock().advance_to_next(), 1s);
    test.dead_lettered<order_placed>().await();
    EXPECT_THROW(test.clock().advance_to_next(0ms), nobody_waits);
}

TEST(Harness, runs_policies_and_stages_of_the_transport_that_is_used_in_production) {
    harness test{[](bus_builder& builder) {
        builder.transport(memory::transport{}, [](transport_builder& transport) {
            transport.resilience([](exception_policy& policy) { policy.otherwise().retry({1s}); });
            transport.use("stamp", [](dispatch_context& message, next<dispatch_context> next) {
                message.envelope.headers.set("stamp", "north");
                next(message);
            });
        });
        builder.handle<order_placed>(&billing);
    }};
    test.bus().publish(order_placed{"bad"});
    EXPECT_EQ(test.clock().advance_to_next(), 1s);
    const auto dead = test.dead_lettered<order_placed>().await().sightings();
    EXPECT_EQ(dead[0].envelope.headers.text("stamp"), "north");
    EXPECT_EQ(test.faulted<order_placed>().count(), 2U);
}

TEST(Harness, sees_requests_and_replies) {
    harness test{[](bus_builder& builder) {
        builder.serve<print_label>([](const print_label& order) { return label_printed{"label " + order.order_id}; });
    }};
    EXPECT_EQ(test.bus().request<label_printed>(print_label{"17"}).label, "label 17");
    EXPECT_EQ(test.sent<print_label>().messages()[0].order_id, "17");
    EXPECT_EQ(test.replied<label_printed>().first().label, "label 17");
}

TEST(Harness, sees_what_is_scheduled_at_once_and_what_is_published_when_it_is_due) {
    harness test{[](bus_builder& builder) { builder.handle<order_placed>(&billing); }};
    test.bus().schedule_publish(order_placed{"17"}, 1h);
    EXPECT_EQ(test.scheduled<order_placed>().messages().at(0).order_id, "17");
    EXPECT_EQ(test.published<order_placed>().count(), 0U);
    EXPECT_EQ(test.clock().advance_to_next(), 1h);
    EXPECT_EQ(test.published<order_placed>().first().order_id, "17");
    test.handled<order_placed>().await();
    EXPECT_EQ(test.scheduled<order_placed>().count(), 1U);
}

TEST(Harness, sees_what_a_handler_schedules_when_it_has_succeeded) {
    harness test{[](bus_builder& builder) {
        builder.resilience([](exception_policy& policy) { policy.otherwise().retry({1s}); });
        builder.handle<order_placed>([](const order_placed& order, consume_context& context) {
            context.schedule_publish(invoice_created{order.order_id}, 1h);
            context.schedule_publish(label_printed{order.order_id}, 1h, {.immediate = true});
            if (context.attempt().is_first()) {
                throw std::runtime_error{"no"};
            }
        });
    }};
    test.bus().publish(order_placed{"17"});
    test.faulted<order_placed>().await();
    EXPECT_EQ(test.scheduled<invoice_created>().count(), 0U);
    EXPECT_EQ(test.scheduled<label_printed>().count(), 1U);
    test.clock().await_waiter_for(test.clock().now() + 1s);
    test.clock().advance(1s);
    test.handled<order_placed>().await();
    EXPECT_EQ(test.scheduled<invoice_created>().count(), 1U);
    EXPECT_EQ(test.scheduled<label_printed>().count(), 2U);
    test.clock().advance(1h);
    test.published<invoice_created>().await();
    test.published<label_printed>().await(2);
}

TEST(Harness, sees_what_the_transport_keeps_for_later_as_scheduled) {
    harness test{[](bus_builder& builder) { builder.handle<order_placed>(&billing); }};
    test.bus().publish(order_placed{"17"}, {.deliver_at = test.clock().now() + 1h});
    test.bus().publish(order_placed{"18"}, {.deliver_at = test.clock().now() - 1h});
    EXPECT_EQ(test.scheduled<order_placed>().messages().at(0).order_id, "17");
    EXPECT_EQ(test.published<order_placed>().messages().at(0).order_id, "18");
    EXPECT_EQ(test.clock().advance_to_next(), 1h);
    test.handled<order_placed>().await(2);
}

TEST(Harness, sees_what_nobody_handles) {
    harness test{[](bus_builder& builder) {
        builder.endpoint("desk", [](endpoint_builder& endpoint) { endpoint.handle<order_placed>(&billing); });
    }};
    test.bus().send(print_label{"17"}, {.destination = address::queue("desk")});
    test.skipped<print_label>().await();
    EXPECT_EQ(test.broker().depth("desk_skipped"), 1U);
}

TEST(Harness, knows_the_queues_that_an_endpoint_has_named_itself) {
    harness test{[](bus_builder& builder) {
        builder.endpoint("desk", [](endpoint_builder& endpoint) {
            endpoint.error_queue("strays").skipped_queue("strays").handle<order_placed>(&billing);
        });
    }};
    test.bus().send(print_label{"17"}, {.destination = address::queue("desk")});
    test.bus().publish(order_placed{"bad"});
    test.skipped<print_label>().await();
    test.dead_lettered<order_placed>().await();
    EXPECT_EQ(test.sent<print_label>().count(), 1U);
    EXPECT_EQ(test.skipped<order_placed>().count(), 0U);
}

TEST(Harness, knows_the_queues_of_a_naming_of_ones_own) {
    struct german : naming {
        [[nodiscard]] std::string skipped_queue(std::string_view queue) const override {
            return std::string{queue} + "-liegengeblieben";
        }
    };
    harness test{[](bus_builder& builder) {
        builder.naming(std::make_shared<german>());
        builder.endpoint("desk", [](endpoint_builder& endpoint) { endpoint.handle<order_placed>(&billing); });
    }};
    test.bus().send(print_label{"17"}, {.destination = address::queue("desk")});
    test.skipped<print_label>().await();
    EXPECT_EQ(test.broker().depth("desk-liegengeblieben"), 1U);
}

TEST(Harness, takes_no_other_queue_for_a_skipped_queue) {
    harness test{[](bus_builder& builder) {
        builder.serve<print_label>([](const print_label&) {},
                                   [](consumer_builder& consumer) { consumer.queue("labels_skipped"); });
    }};
    test.bus().send(print_label{"17"});
    test.handled<print_label>().await();
    EXPECT_EQ(test.sent<print_label>().count(), 1U);
    EXPECT_EQ(test.skipped<print_label>().count(), 0U);
}

TEST(Harness, says_what_happened_instead_of_what_was_awaited) {
    harness test{[](bus_builder& builder) { builder.handle<order_placed>(&billing); }};
    test.bus().publish(order_placed{"bad"});
    test.dead_lettered<order_placed>().await();
    try {
        test.published<invoice_created>().await(1, 1ms);
        FAIL() << "it was seen";
    } catch (const not_seen& thrown) {
        EXPECT_THAT(thrown.what(), HasSubstr("invoice-created was published 0 times, not 1, within 1 ms."));
        EXPECT_THAT(thrown.what(), HasSubstr("order-placed (std::invalid_argument: no such customer)"));
    }
}

} // namespace
} // namespace ferry::testing
