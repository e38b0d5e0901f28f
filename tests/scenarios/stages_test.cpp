#include "shop.hpp"

namespace ferry::scenarios {
namespace {

class Stages : public shop {
protected:
    watched<std::vector<std::string>> steps;
    void note(std::string step) {
        steps.change([&](auto& all) { all.push_back(std::move(step)); });
    }
    template <typename Context> auto noting(std::string name) {
        return [this, name](Context& message, next<Context> next) {
            note(name);
            next(message);
        };
    }
};

TEST_F(Stages, of_all_scopes_run_from_the_widest_in) {
    auto builder = service("billing");
    builder->use("bus", noting<consume_context>("bus"));
    builder->transport(memory::transport{broker}, [&](transport_builder& transport) {
        transport.use("transport", noting<consume_context>("transport"));
    });
    builder->endpoint("billing.order-placed", [&](endpoint_builder& endpoint) {
        endpoint.use("endpoint", noting<consume_context>("endpoint"));
        endpoint.use("receiving", noting<receive_context>("receiving"));
    });
    builder->handle<order_placed>(
        [&](const order_placed&) { note("handler"); },
        [&](consumer_builder& consumer) { consumer.use("consumer", noting<consume_context>("consumer")); });
    const auto billing = started(*builder);
    billing->publish(order_placed{"17"});
    ASSERT_TRUE(steps.eventually([](const auto& all) { return all.size() == 6; }));
    EXPECT_EQ(steps.get(),
              (std::vector<std::string>{"receiving", "bus", "transport", "endpoint", "consumer", "handler"}));
}

struct tenant_stage {
    static constexpr std::string_view key = "tenant";
    void operator()(dispatch_context& message, next<dispatch_context> next) const {
        message.envelope.tenant = "blue";
        next(message);
    }
};

TEST_F(Stages, see_and_change_what_is_sent_from_handlers_as_well) {
    record<std::string> tenants;
    auto builder = service("billing");
    builder->use(tenant_stage{});
    builder->handle<order_placed>(
        [](const order_placed&, consume_context& context) { context.publish(invoice_created{}); });
    builder->handle<invoice_created>(
        [&](const invoice_created&, consume_context& context) { tenants.add(std::string{context.tenant()}); });
    const auto billing = started(*builder);
    billing->publish(order_placed{"17"});
    ASSERT_TRUE(tenants.reaches(1));
    EXPECT_EQ(tenants.all().front(), "blue");
}

TEST_F(Stages, find_no_earlier_message_where_one_was_collected) {
    record<envelope> left_behind;
    auto builder = service("billing");
    builder->concurrency_limit(1); // so that both are handled with the same memory
    builder->use("curious", [&](dispatch_context& message, next<dispatch_context> next) {
        const bool collected = message.collector != nullptr;
        next(message);
        if (collected) {
            left_behind.add(message.envelope);
        }
    });
    builder->handle<order_placed>(
        [](const order_placed& order, consume_context& context) { context.publish(invoice_created{order.order_id}); });
    const auto billing = started(*builder);
    billing->publish(order_placed{"17"});
    billing->publish(order_placed{"18"});
    ASSERT_TRUE(left_behind.reaches(2));
    EXPECT_EQ(left_behind.all(), std::vector<envelope>(2));
}

TEST_F(Stages, may_end_a_message_on_its_way_out) {
    auto builder = service("billing");
    builder->use("mute", [](dispatch_context&, next<dispatch_context>) {});
    const auto billing = started(*builder);
    billing->publish(order_placed{"17"});
    EXPECT_EQ(billing->counts().unrouted_events, 0U);
    watched<bool> completed;
    billing->async_publish(order_placed{"18"}, [&](const std::exception_ptr& failure) {
        EXPECT_FALSE(failure);
        completed.change([](bool& yes) { yes = true; });
    });
    EXPECT_TRUE(completed.eventually([](bool yes) { return yes; }));
}

TEST_F(Stages, that_throw_on_the_way_out_fail_the_publisher) {
    auto builder = service("billing");
    builder->use("strict", [](dispatch_context& message, next<dispatch_context> next) {
        next(message);
        throw std::runtime_error{"refused"};
    });
    const auto billing = started(*builder);
    EXPECT_THROW(billing->publish(order_placed{"17"}), std::runtime_error);
}

struct heard {
    int times = 0;
};

TEST_F(Stages, pass_features_to_one_another_for_one_message_only) {
    record<int> times;
    auto builder = service("billing");
    builder->concurrency_limit(1);
    builder->use("first", [](receive_context& message, next<receive_context> next) {
        ++message.features().get_or_add<heard>().times;
        next(message);
    });
    builder->use("second", [&](receive_context& message, next<receive_context> next) {
        times.add(message.features().find<heard>()->times);
        next(message);
    });
    builder->handle<order_placed>([](const order_placed&) {});
    const auto billing = started(*builder);
    billing->publish(order_placed{"17"});
    billing->publish(order_placed{"18"});
    ASSERT_TRUE(times.reaches(2));
    EXPECT_EQ(times.all(), (std::vector<int>{1, 1}));
}

} // namespace
} // namespace ferry::scenarios
