#include "shop.hpp"

#include <functional>

namespace ferry::scenarios {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Building : public shop {
protected:
    [[nodiscard]] static std::vector<std::string> problems_of(bus_builder& builder) {
        try {
            (void)builder.build();
        } catch (const build_error& thrown) {
            for (const std::string& each : thrown.problems()) {
                EXPECT_THAT(thrown.what(), HasSubstr(each)) << "the text lists every problem";
            }
            return thrown.problems();
        }
        return {};
    }
};

void ignore(const order_placed&) {}

struct HTTPServer {
    int port = 0;
};
struct http_server {
    int port = 0;
};

TEST_F(Building, reports_everything_that_is_wrong_at_once) { // B9
    bus_builder builder{""};
    builder.concurrency_limit(0)
        .recovery({.base_delay = -1s, .max_delay = 1s})
        .handle<order_placed>(std::function<void(const order_placed&)>{})
        .serve<print_label>([](const print_label&) { return label_printed{}; })
        .serve<print_label>([](const print_label&) { return label_printed{}; })
        .endpoint("a", [](endpoint_builder& endpoint) { endpoint.recovery({.base_delay = 2s, .max_delay = 1s}); })
        .endpoint("a", [](endpoint_builder& endpoint) { endpoint.prefetch(0); })
        .max_pending_requests(0)
        .stop_timeout(-1s);

    const auto problems = problems_of(builder);

    EXPECT_THAT(problems, Contains(HasSubstr("the service has no name")));
    EXPECT_THAT(problems, Contains(HasSubstr("the bus has no transport")));
    EXPECT_THAT(problems, Contains(HasSubstr("bus: the concurrency limit is 0")));
    EXPECT_THAT(problems, Contains(HasSubstr("bus: the base delay of the recovery backoff is negative")));
    EXPECT_THAT(problems,
                Contains(HasSubstr("endpoint 'a': the longest delay of the recovery backoff is below its base delay")));
    EXPECT_THAT(problems, Contains(HasSubstr("endpoint 'a': the prefetch is 0")));
    EXPECT_THAT(problems, Contains(HasSubstr("order-placed is an empty function")));
    EXPECT_THAT(problems, Contains(HasSubstr("print-label has two servers")));
    EXPECT_THAT(problems, Contains(HasSubstr("two endpoints called 'a'")));
    EXPECT_THAT(problems, Contains(HasSubstr("endpoint 'a' has no handlers")));
    EXPECT_THAT(problems, Contains(HasSubstr("max_pending_requests is 0")));
    EXPECT_THAT(problems, Contains(HasSubstr("the stop timeout is negative")));
}

TEST_F(Building, says_only_once_what_is_wrong_with_a_second_server) { // B9
    auto builder = service("billing");
    builder->serve<print_label>([](const print_label&) {});
    builder->serve<print_label>([](const print_label&) {});
    EXPECT_THAT(problems_of(*builder), ElementsAre(HasSubstr("print-label has two servers")));
}

TEST_F(Building, refuses_two_types_of_one_name_wherever_they_are_named) { // B9
    const std::string sentence = "two C++ types, HTTPServer and http_server, are both "
                                 "urn:message:ferry.scenarios:http-server; rename one of them, or give it a "
                                 "message_name of its own";
    auto handlers = service("billing");
    handlers->handle<HTTPServer>([](const HTTPServer&) {}, [](consumer_builder& consumer) { consumer.name("a"); });
    handlers->handle<http_server>([](const http_server&) {}, [](consumer_builder& consumer) { consumer.name("b"); });
    handlers->handle<http_server>([](const http_server&) {}, [](consumer_builder& consumer) { consumer.name("c"); });
    EXPECT_THAT(problems_of(*handlers), ElementsAre(sentence)) << "once";

    auto published = service("billing");
    published->publishes<HTTPServer>().route<http_server>(address::queue("servers"));
    EXPECT_THAT(problems_of(*published), ElementsAre(sentence));

    auto one = service("billing");
    one->publishes<HTTPServer>().route<HTTPServer>(address::queue("servers"));
    one->endpoint("servers", [](endpoint_builder& endpoint) { endpoint.serve<HTTPServer>([](const HTTPServer&) {}); });
    EXPECT_THAT(problems_of(*one), ::testing::IsEmpty());
}

TEST_F(Building, refuses_an_unknown_stage_key_at_every_scope) { // B9
    auto builder = service("billing");
    const auto pass = [](auto& context, auto next) { next(context); };
    builder->use_before("no-such", "a",
                        [=](dispatch_context& context, next<dispatch_context> next) { pass(context, next); });
    builder->use_before("typo", "c",
                        [=](consume_context& context, next<consume_context> next) { pass(context, next); });
    builder->handle<order_placed>(&ignore, [=](consumer_builder& consumer) {
        consumer.use_after("nowhere", "b",
                           [=](consume_context& context, next<consume_context> next) { pass(context, next); });
    });
    const auto problems = problems_of(*builder);
    EXPECT_THAT(problems, Contains(HasSubstr("bus: stage 'a' is placed next to 'no-such'")));
    EXPECT_THAT(problems, Contains("bus: stage 'c' is placed next to 'typo', which is not in the pipeline; it has "
                                   "'retry', 'database_resilience', 'instrumentation', 'transaction', 'inbox', "
                                   "'send_collected', 'handler_deadline', "
                                   "'handler'"))
        << "once, though it concerns every consumer";
    EXPECT_THAT(problems, Contains(HasSubstr("consumer 'order-placed': stage 'b' is placed next to 'nowhere'")));
}

TEST_F(Building, refuses_an_order_of_stages_that_breaks_a_promise) {
    const auto pass = [](consume_context& context, next<consume_context> next) { next(context); };
    const auto problems_with = [&](const std::function<void(consumer_builder&)>& place) {
        auto builder = service("billing");
        builder->handle<order_placed>(&ignore, [&](consumer_builder& consumer) {
            consumer.resilience();
            place(consumer);
        });
        return problems_of(*builder);
    };
    EXPECT_THAT(problems_with([&](consumer_builder& consumer) { consumer.use("inbox", pass); }),
                ElementsAre(HasSubstr("consumer 'order-placed': an inbox works inside a transaction")));
    EXPECT_THAT(
        problems_with([&](consumer_builder& consumer) { consumer.use("inbox", pass).use("transaction", pass); }),
        ElementsAre(HasSubstr("place 'inbox' inside 'transaction'")));
    EXPECT_THAT(problems_with([&](consumer_builder& consumer) { consumer.use_before("retry", "transaction", pass); }),
                ElementsAre(HasSubstr("a retry stands outside the transaction")));
}

TEST_F(Building, takes_stages_in_an_order_that_keeps_every_promise) {
    const auto pass = [](consume_context& context, next<consume_context> next) { next(context); };
    auto builder = service("billing");
    builder->handle<order_placed>(&ignore, [&](consumer_builder& consumer) {
        consumer.resilience().use_after("retry", "transaction", pass).use_after("transaction", "inbox", pass);
    });
    EXPECT_NO_THROW((void)builder->build());
}

TEST_F(Building, places_stages_next_to_one_that_is_switched_off) {
    const auto pass = [](consume_context& context, next<consume_context> next) { next(context); };
    auto builder = service("billing");
    builder->use_after("retry", "tenant", pass).handle<order_placed>(&ignore);
    EXPECT_EQ(builder->build().describe().endpoints[0].consumers[0].stages,
              (std::vector<std::string>{"tenant", "send_collected", "handler"}));
}

TEST_F(Building, refuses_two_nameless_handlers_of_one_message) { // B9
    auto builder = service("billing");
    builder->handle<order_placed>([](const order_placed&) {}).handle<order_placed>([](const order_placed&) {});
    EXPECT_THAT(problems_of(*builder),
                Contains(HasSubstr("two handlers would share the endpoint 'billing.order-placed'")));
}

TEST_F(Building, refuses_two_handlers_of_one_name_on_an_endpoint) { // B9
    auto builder = service("billing");
    builder->endpoint("all", [](endpoint_builder& endpoint) {
        endpoint.handle<order_placed>(&ignore).handle<order_placed>(&ignore);
    });
    EXPECT_THAT(problems_of(*builder), Contains(HasSubstr("endpoint 'all' has two handlers called 'order-placed'")));
}

TEST_F(Building, refuses_a_null_function_and_a_route_to_nowhere) { // B9
    auto builder = service("billing");
    void (*nothing)(const order_placed&) = nullptr;
    builder->handle<order_placed>(nothing).route<ship_order>(address{});
    const auto problems = problems_of(*builder);
    EXPECT_THAT(problems, Contains(HasSubstr("is an empty function")));
    EXPECT_THAT(problems, Contains(HasSubstr("the route of urn:message:ferry.scenarios:ship-order leads nowhere")));
}

TEST_F(Building, refuses_nothing_where_there_should_be_something) { // B9
    auto builder = service("billing");
    builder->persistence(nullptr).naming(nullptr).observe(nullptr).transport(nullptr).endpoint("orders", {});
    EXPECT_THAT(problems_of(*builder),
                ElementsAre("persistence() was given no store; pass one, or leave the call away",
                            "naming() was given no convention; pass one, or leave the call away",
                            "observe() was given no observer; pass one, or leave the call away",
                            HasSubstr("the bus has no transport"), HasSubstr("endpoint 'orders' has no handlers")));
}

TEST_F(Building, refuses_a_memory_transport_that_cannot_work) { // B9
    auto limited = service("billing");
    limited->transport(
        memory::transport{{.max_queue_bytes = 0, .max_queue_messages = 0, .send_timeout = duration::zero()}});
    EXPECT_THAT(problems_of(*limited), ElementsAre(HasSubstr("a max_queue_bytes of at least 1"),
                                                   HasSubstr("a max_queue_messages of at least 1"),
                                                   HasSubstr("to fail at once set max_waiting_sends to 0")));

    auto shared = service("billing");
    shared->transport(memory::transport{std::shared_ptr<memory::broker>{}});
    EXPECT_THAT(problems_of(*shared), ElementsAre(HasSubstr("was given no broker; share one")));
}

TEST_F(Building, refuses_a_queue_for_a_consumer_that_shares_an_endpoint) { // B9
    auto builder = service("billing");
    builder->endpoint("all", [](endpoint_builder& endpoint) {
        endpoint.handle<order_placed>(&ignore, [](consumer_builder& consumer) { consumer.queue("other"); });
    });
    EXPECT_THAT(problems_of(*builder), Contains(HasSubstr("consumer 'order-placed' asks for the queue 'other'")));
}

TEST_F(Building, refuses_an_endpoint_that_is_its_own_error_queue) { // B9
    auto builder = service("billing");
    builder->handle<order_placed>(&ignore, [](consumer_builder& consumer) { consumer.queue("orders"); })
        .endpoint("orders", [](endpoint_builder& endpoint) { endpoint.error_queue("orders"); })
        .endpoint("labels", [](endpoint_builder& endpoint) {
            endpoint.serve<print_label>([](const print_label&) {}).skipped_queue("labels");
        });
    EXPECT_THAT(problems_of(*builder), ElementsAre(HasSubstr("endpoint 'orders' is its own error or skipped queue"),
                                                   HasSubstr("endpoint 'labels' is its own error or skipped queue")));
}

TEST_F(Building, refuses_endpoints_that_pass_on_what_fails_in_a_circle) { // B9
    auto builder = service("billing");
    const auto handle = [](const std::string& errors, const std::string& skipped) {
        return [=](endpoint_builder& endpoint) {
            endpoint.handle<order_placed>(&ignore).error_queue(errors).skipped_queue(skipped);
        };
    };
    builder->endpoint("before", handle("first", "nowhere"))
        .endpoint("first", handle("second", "nowhere"))
        .endpoint("second", handle("nowhere", "third"))
        .endpoint("third", handle("first", "nowhere"));
    EXPECT_THAT(problems_of(*builder),
                ElementsAre(HasSubstr("what fails or is skipped at endpoint 'first' goes to endpoint 'second'")))
        << "once, and not for the one that only leads there";
}

TEST_F(Building, lets_an_endpoint_handle_the_errors_of_another_and_start_twice) { // B95
    record<std::string> seen;
    const auto instance = [&] {
        auto builder = service("billing");
        builder->handle<order_placed>([](const order_placed&) { throw std::runtime_error{"no"}; });
        builder->endpoint("billing.order-placed_error", [&](endpoint_builder& endpoint) {
            endpoint.handle<order_placed>([&](const order_placed& order) {
                seen.add(order.order_id);
                throw std::runtime_error{"still no"};
            });
        });
        return started(*builder);
    };
    const auto first = instance();
    const auto second = instance();

    inject("billing.order-placed", order(R"({"order_id":"17"})"));

    EXPECT_TRUE(seen.reaches(1));
    EXPECT_TRUE(testing::eventually([&] { return broker->depth("billing.order-placed_error_error") == 1; }));
}

TEST_F(Building, happens_once) {
    auto builder = service("billing");
    (void)builder->build();
    EXPECT_THROW((void)builder->build(), error);
}

TEST_F(Building, sets_up_the_endpoint_of_a_handler_by_its_name) {
    auto builder = service("billing");
    builder->endpoint("billing.order-placed", [](endpoint_builder& endpoint) {
        endpoint.concurrency_limit(7).error_queue("sorrows").skipped_queue("strays");
    });
    builder->handle<order_placed>(&ignore);
    const auto built = builder->build().describe();
    ASSERT_EQ(built.endpoints.size(), 1U);
    EXPECT_EQ(built.endpoints[0].concurrency, 7U);
    EXPECT_EQ(built.endpoints[0].error_queue, "sorrows");
    EXPECT_EQ(built.endpoints[0].skipped_queue, "strays");
    EXPECT_EQ(built.endpoints[0].consumers.size(), 1U);
}

class snake_naming : public naming {
public:
    [[nodiscard]] std::string subscriber_queue(std::string_view service, std::string_view handler) const override {
        return std::string{service} + "/" + std::string{handler};
    }
};

TEST_F(Building, takes_a_naming_convention_of_ones_own) {
    auto builder = service("billing");
    builder->naming(std::make_shared<snake_naming>()).handle<order_placed>(&ignore);
    EXPECT_EQ(builder->build().describe().endpoints.at(0).name, "billing/order-placed");
}

struct audit_handler {
    void operator()(const order_placed&) const {}
};

TEST_F(Building, names_an_endpoint_after_the_class_of_its_handler) {
    auto builder = service("billing");
    builder->handle<order_placed>(audit_handler{});
    EXPECT_EQ(builder->build().describe().endpoints.at(0).name, "billing.audit");
}

TEST_F(Building, starts_a_bus_once) {
    auto builder = service("billing");
    const auto billing = started(*builder);
    EXPECT_THROW(billing->start(), error);
    billing->stop();
    EXPECT_THROW(billing->start(), error);
    EXPECT_TRUE(billing->stop().complete()) << "stopping again does nothing";
}

TEST_F(Building, takes_an_empty_log_function_for_silence) {
    auto builder = service("shop");
    builder->log({});
    EXPECT_NO_THROW(started(*builder)->stop());
}

} // namespace
} // namespace ferry::scenarios
