#include "shop.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <memory>

namespace ferry::scenarios {
namespace {

record<std::string>* seen_by_functions = nullptr;

void free_function(const order_placed& order) { seen_by_functions->add("function " + order.order_id); }
void free_function_with_context(const order_placed& order, consume_context& context) {
    seen_by_functions->add("function at " + std::string{context.endpoint()} + " " + order.order_id);
}

class Handlers : public shop {
protected:
    void SetUp() override { seen_by_functions = &seen; }

    template <typename Handler> void expect_handled(Handler handler, const std::string& expected) {
        auto builder = service("billing");
        builder->handle<order_placed>(std::move(handler), [](consumer_builder& consumer) { consumer.name("it"); });
        const auto billing = started(*builder);
        billing->publish(order_placed{"17"});
        ASSERT_TRUE(seen.reaches(1));
        EXPECT_EQ(seen.all().front(), expected);
    }

    record<std::string> seen;
};

struct callable {
    record<std::string>* seen;
    void operator()(const order_placed& order) const { seen->add("object " + order.order_id); }
};

TEST_F(Handlers, may_be_functions) { expect_handled(&free_function, "function 17"); }
TEST_F(Handlers, may_be_functions_that_take_the_context) {
    expect_handled(&free_function_with_context, "function at billing.it 17");
}
TEST_F(Handlers, may_be_callable_objects) { expect_handled(callable{&seen}, "object 17"); }
TEST_F(Handlers, may_be_lambdas_that_take_the_message_by_value) {
    expect_handled([this](order_placed order) { seen.add("lambda " + order.order_id); }, "lambda 17");
}
TEST_F(Handlers, may_own_what_cannot_be_copied) {
    expect_handled([this, owned = std::make_unique<int>(5)](const order_placed&) { seen.add(std::to_string(*owned)); },
                   "5");
}

boost::asio::awaitable<void> short_wait() {
    boost::asio::steady_timer timer{co_await boost::asio::this_coro::executor, 1ms};
    co_await timer.async_wait(boost::asio::use_awaitable);
}

TEST_F(Handlers, may_be_coroutines) {
    expect_handled(
        [this](const order_placed& order, consume_context&) -> boost::asio::awaitable<void> {
            co_await short_wait();
            seen.add("coroutine " + order.order_id);
        },
        "coroutine 17");
}

TEST_F(Handlers, may_be_coroutines_that_reply) {
    auto builder = service("labels");
    builder->serve<print_label>([](const print_label& order) -> boost::asio::awaitable<label_printed> {
        co_await short_wait();
        co_return label_printed{"label " + order.order_id};
    });
    const auto labels = started(*builder);
    EXPECT_EQ(labels->request<label_printed>(print_label{"17"}).label, "label 17");
}

TEST_F(Handlers, may_be_coroutines_that_throw) {
    auto builder = service("labels");
    builder->serve<print_label>([](const print_label&) -> boost::asio::awaitable<label_printed> {
        co_await short_wait();
        throw std::runtime_error{"jammed"};
    });
    const auto labels = started(*builder);
    EXPECT_THROW((void)labels->request<label_printed>(print_label{"17"}), remote_error);
}

TEST_F(Handlers, may_reply_by_hand) {
    auto builder = service("labels");
    builder->serve<print_label>([](const print_label& order, consume_context& context) {
        context.reply(label_printed{"by hand " + order.order_id});
    });
    const auto labels = started(*builder);
    EXPECT_EQ(labels->request<label_printed>(print_label{"17"}).label, "by hand 17");
}

TEST_F(Handlers, that_return_a_reply_also_take_what_is_only_sent) {
    auto builder = service("labels");
    builder->serve<print_label>([this](const print_label& order) {
        seen.add(order.order_id);
        return label_printed{};
    });
    const auto labels = started(*builder);
    labels->send(print_label{"17"});
    ASSERT_TRUE(seen.reaches(1));
    labels->stop();
    EXPECT_EQ(broker->depth("print-label_error"), 0U);
}

TEST_F(Handlers, cannot_reply_to_what_is_no_request) {
    auto builder = service("billing");
    builder->handle<order_placed>(
        [](const order_placed&, consume_context& context) { context.reply(label_printed{}); });
    const auto billing = started(*builder);
    billing->publish(order_placed{"17"});
    ASSERT_TRUE(log.reaches(2));
    EXPECT_THAT(log.all().back(), ::testing::HasSubstr("there is nobody to reply to"));
}

TEST_F(Handlers, begin_with_a_waiting_message_as_soon_as_one_of_them_is_done) {
    watched<int> may_end;
    auto builder = service("billing");
    builder->concurrency_limit(8).prefetch(8).handle<order_placed>([&](const order_placed& order) {
        seen.add(order.order_id);
        EXPECT_TRUE(may_end.change_when([](int count) { return count > 0; }, [](int& count) { --count; }));
    });
    const auto billing = started(*builder);
    for (int i = 0; i < 9; ++i) {
        billing->publish(order_placed{std::to_string(i)});
    }
    EXPECT_TRUE(seen.reaches(8));

    may_end.change([](int& count) { count = 1; });

    EXPECT_TRUE(seen.reaches(9));
    may_end.change([](int& count) { count = 8; });
}

TEST_F(Handlers, leave_no_memory_behind_when_they_have_sent_much) {
    const collected_messages* collected = nullptr;
    record<std::size_t> kept;
    auto builder = service("billing");
    builder->concurrency_limit(1)
        .use_before("routing", "memory",
                    [&](receive_context& message, next<receive_context> next) {
                        next(message);
                        kept.add(collected->capacity());
                    })
        .handle<order_placed>([&](const order_placed&, consume_context& context) {
            for (int i = 0; i < 1'000; ++i) {
                context.publish(invoice_created{"17"});
            }
            collected = &context.collected();
        });
    const auto billing = started(*builder);
    billing->publish(order_placed{"17"});
    ASSERT_TRUE(kept.reaches(1));
    EXPECT_LE(kept.all().front(), most_kept_envelopes);
}

TEST_F(Handlers, never_see_fields_of_the_message_before) {
    watched<std::vector<int>> quantities;
    auto builder = service("billing");
    builder->concurrency_limit(1).handle<order_placed>(
        [&](const order_placed& order) { quantities.change([&](auto& all) { all.push_back(order.quantity); }); });
    builder->use("body", [](dispatch_context& message, next<dispatch_context> next) {
        message.envelope.body.assign(message.envelope.partition_key);
        next(message);
    });
    const auto billing = started(*builder);
    billing->publish(order_placed{}, {.partition_key = R"({"order_id":"a","quantity":9})"});
    billing->publish(order_placed{}, {.partition_key = R"({"order_id":"b"})"});
    ASSERT_TRUE(quantities.eventually([](const auto& all) { return all.size() == 2; }));
    EXPECT_EQ(quantities.get(), (std::vector<int>{9, 1}));
}

} // namespace
} // namespace ferry::scenarios
