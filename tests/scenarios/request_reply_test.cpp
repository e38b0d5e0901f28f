#include "shop.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>
#include <support/heap.hpp>

#include <atomic>
#include <deque>
#include <functional>
#include <future>
#include <thread>

namespace ferry::scenarios {
namespace {

class RequestReply : public shop {};

TEST_F(RequestReply, gives_each_of_a_hundred_callers_its_own_answer) { // B11
    auto builder = service("labels");
    builder->serve<print_label>([](const print_label& order) { return label_printed{"label " + order.order_id}; });
    const auto labels = started(*builder);
    std::vector<std::future<label_printed>> answers;
    for (int i = 0; i < 100; ++i) {
        answers.push_back(
            labels->async_request<label_printed>(print_label{std::to_string(i)}, boost::asio::use_future));
    }
    for (std::size_t i = 0; i < answers.size(); ++i) {
        EXPECT_EQ(answers[i].get().label, "label " + std::to_string(i));
    }
    EXPECT_EQ(labels->pending_requests(), 0U);
}

TEST_F(RequestReply, blocks_a_hundred_threads_until_their_own_answer) { // B11
    auto builder = service("labels");
    builder->serve<print_label>([](const print_label& order) { return label_printed{"label " + order.order_id}; });
    const auto labels = started(*builder);
    std::vector<std::jthread> callers;
    std::atomic<int> right = 0;
    for (int i = 0; i < 100; ++i) {
        callers.emplace_back([&, i] {
            const auto answer = labels->request<label_printed>(print_label{std::to_string(i)});
            right += answer.label == "label " + std::to_string(i) ? 1 : 0;
        });
    }
    callers.clear();
    EXPECT_EQ(right, 100);
}

TEST_F(RequestReply, copies_correlation_and_conversation_from_the_request) { // B2
    record<envelope> requests;
    watched<std::vector<envelope>> replies;
    auto builder = service("labels");
    builder->serve<print_label>([&](const print_label& order, consume_context& context) {
        requests.add(context.envelope());
        return label_printed{order.order_id};
    });
    builder->use("watch", [&](dispatch_context& message, next<dispatch_context> next) {
        if (message.envelope.kind == message_kind::reply) {
            replies.change([&](auto& all) { all.push_back(message.envelope); });
        }
        next(message);
    });
    const auto labels = started(*builder);

    (void)labels->request<label_printed>(print_label{"17"});

    const envelope request = requests.all().front();
    const envelope reply = replies.get().front();
    EXPECT_EQ(reply.correlation_id, request.correlation_id);
    EXPECT_EQ(reply.conversation_id, request.conversation_id);
    EXPECT_EQ(reply.causation_id, request.message_id);
    EXPECT_NE(reply.message_id, request.message_id);
    EXPECT_EQ(reply.destination, request.response);
}

TEST_F(RequestReply, without_a_reply_type_completes_when_it_was_handled) { // B12
    record<std::string> shipped;
    auto builder = service("shipping");
    builder->serve<ship_order>([&](const ship_order& order) { shipped.add(order.order_id); });
    const auto shipping = started(*builder);
    shipping->request(ship_order{"17"});
    EXPECT_EQ(shipped.all(), std::vector<std::string>{"17"});
}

TEST_F(RequestReply, throws_with_the_correlation_id_when_no_answer_comes_in_time) { // B13
    testing::manual_clock time;
    std::promise<void> release;
    record<envelope> requests;
    auto builder = service("labels");
    builder->clock(time).serve<print_label>(
        [&, released = release.get_future().share()](const print_label&, consume_context& context) {
            requests.add(context.envelope());
            released.wait();
            return label_printed{"late"};
        });
    const auto labels = started(*builder);
    auto answer = labels->async_request<label_printed>(print_label{"17"}, boost::asio::use_future);
    ASSERT_TRUE(requests.reaches(1));

    time.advance(30s - 1ns);
    EXPECT_EQ(labels->pending_requests(), 1U) << "30 s is the default";
    time.advance(1ns);

    try {
        (void)answer.get();
        FAIL() << "answered";
    } catch (const request_timeout& thrown) {
        EXPECT_EQ(thrown.correlation_id(), requests.all().front().correlation_id);
        EXPECT_THAT(thrown.what(), ::testing::HasSubstr(thrown.correlation_id().to_string()));
    }
    release.set_value();
    labels->stop();
    EXPECT_EQ(labels->pending_requests(), 0U);
}

TEST_F(RequestReply, drops_and_counts_an_answer_that_comes_too_late) { // B13
    testing::manual_clock time;
    watched<bool> released;
    record<std::string> asked;
    auto server_builder = service("labels");
    server_builder->serve<print_label>([&](const print_label& order) {
        asked.add(order.order_id);
        (void)released.eventually([](bool yes) { return yes; });
        return label_printed{"late"};
    });
    auto caller_builder = service("orders");
    caller_builder->clock(time);
    const auto server = started(*server_builder);
    const auto caller = started(*caller_builder);
    auto answer = caller->async_request<label_printed>(print_label{"17"}, request_options{.timeout = 5s},
                                                       boost::asio::use_future);
    ASSERT_TRUE(asked.reaches(1));
    time.advance(5s);
    EXPECT_THROW((void)answer.get(), request_timeout);

    released.change([](bool& yes) { yes = true; });
    server->stop(); // the late reply has been sent and confirmed
    // The next answer comes behind the late one on the same reply queue.
    auto second_builder = service("labels");
    second_builder->serve<print_label>([](const print_label&) { return label_printed{"in time"}; });
    const auto second = started(*second_builder);
    EXPECT_EQ(caller->request<label_printed>(print_label{"18"}).label, "in time");
    EXPECT_EQ(caller->counts().late_replies, 1U);
}

struct out_of_paper : std::runtime_error {
    using std::runtime_error::runtime_error;
};

TEST_F(RequestReply, tells_the_caller_what_the_handler_threw) { // B14
    auto builder = service("labels");
    builder->serve<print_label>([](const print_label&) -> label_printed { throw out_of_paper{"no paper in tray 2"}; });
    const auto labels = started(*builder);
    try {
        (void)labels->request<label_printed>(print_label{"17"});
        FAIL() << "answered";
    } catch (const remote_error& thrown) {
        EXPECT_THAT(thrown.type(), ::testing::HasSubstr("out_of_paper"));
        EXPECT_EQ(thrown.text(), "no paper in tray 2");
        EXPECT_STREQ(thrown.what(),
                     ("the handler at queue:print-label threw " + thrown.type() + ": no paper in tray 2").c_str());
    }
    EXPECT_EQ(broker->depth("print-label_error"), 0U);
    EXPECT_EQ(broker->depth("print-label_skipped"), 0U);
}

TEST_F(RequestReply, is_not_redelivered) { // B15
    std::atomic<int> calls = 0;
    auto builder = service("labels");
    builder->serve<print_label>([&](const print_label&) -> label_printed {
        ++calls;
        throw out_of_paper{"no paper"};
    });
    const auto labels = started(*builder);
    EXPECT_THROW((void)labels->request<label_printed>(print_label{"17"}), remote_error);
    labels->stop();
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(broker->depth("print-label"), 0U);
}

TEST_F(RequestReply, leaves_nothing_behind_after_ten_thousand_timeouts) { // B16
    testing::manual_clock time;
    auto server_builder = service("labels");
    server_builder->serve<print_label>([](const print_label&) { return label_printed{}; });
    started(*server_builder)->stop(); // leaves the queue, and nobody who takes from it
    auto builder = service("orders");
    builder->clock(time);
    const auto orders = started(*builder);
    watched<int> timeouts;
    constexpr int many = 10'000;
    for (int i = 0; i < many; ++i) {
        orders->async_request<label_printed>(print_label{"17"},
                                             [&](const std::exception_ptr& failure, const label_printed&) {
                                                 timeouts.change([&](int& count) { count += failure ? 1 : 0; });
                                             });
    }
    EXPECT_EQ(orders->pending_requests(), static_cast<std::size_t>(many));
    time.advance(30s);
    EXPECT_TRUE(timeouts.eventually([](int count) { return count == many; }));
    EXPECT_EQ(orders->pending_requests(), 0U);
    EXPECT_EQ(broker->depth("print-label"), static_cast<std::size_t>(many));

    time.advance(1ns);
    std::atomic<int> handled = 0;
    auto next_builder = service("labels");
    next_builder->clock(time).serve<print_label>([&](const print_label&) {
        ++handled;
        return label_printed{};
    });
    const auto next = started(*next_builder);
    EXPECT_TRUE(testing::eventually([&] { return next->counts().expired == many; })) << "nobody waits for them";
    EXPECT_EQ(handled, 0);
}

TEST_F(RequestReply, leaves_nothing_behind_after_ten_thousand_cancellations) { // B16
    auto server_builder = service("labels");
    server_builder->serve<print_label>([](const print_label&) { return label_printed{}; });
    started(*server_builder)->stop(); // leaves the queue, and nobody who takes from it
    auto builder = service("orders");
    const auto orders = started(*builder);
    watched<int> cancelled;
    constexpr int many = 10'000;
    std::deque<boost::asio::cancellation_signal> signals; // each must outlive its request
    for (int i = 0; i < many; ++i) {
        boost::asio::cancellation_signal& each = signals.emplace_back();
        orders->async_request<label_printed>(
            print_label{"17"}, boost::asio::bind_cancellation_slot(
                                   each.slot(), [&](const std::exception_ptr& failure, const label_printed&) {
                                       cancelled.change([&](int& count) { count += failure ? 1 : 0; });
                                   }));
        each.emit(boost::asio::cancellation_type::total);
    }
    EXPECT_TRUE(cancelled.eventually([](int count) { return count == many; }));
    EXPECT_EQ(orders->pending_requests(), 0U);
}

/// Asks what nobody answers, a hundred times a round.
class UnansweredRequests : public RequestReply {
protected:
    void SetUp() override {
        auto server = service("labels");
        server->serve<print_label>([](const print_label&) { return label_printed{}; });
        started(*server)->stop(); // leaves the queue, and nobody who takes from it
        auto builder = service("orders");
        builder->clock(time);
        orders = started(*builder);
    }

    /// Returns when all of the round have failed, and none is in the queue any more.
    void ask(const std::function<void()>& end) {
        std::deque<boost::asio::cancellation_signal> signals; // each must outlive its request
        failed.change([](int& count) { count = 0; });
        for (int i = 0; i < 100; ++i) {
            orders->async_request<label_printed>(
                print_label{"17"},
                boost::asio::bind_cancellation_slot(signals.emplace_back().slot(),
                                                    [this](const std::exception_ptr& failure, const label_printed&) {
                                                        failed.change([&](int& count) { count += failure ? 1 : 0; });
                                                    }));
        }
        cancel_all = [&] {
            for (auto& each : signals) {
                each.emit(boost::asio::cancellation_type::total);
            }
        };
        end();
        ASSERT_TRUE(failed.eventually([](int count) { return count == 100; }));
        broker->purge("print-label");
    }

    static constexpr std::ptrdiff_t little = 64 * 1024; // six bytes for each of ten thousand
    testing::manual_clock time;
    watched<int> failed;
    std::function<void()> cancel_all;
    std::unique_ptr<bus> orders;
};

TEST_F(UnansweredRequests, leave_no_memory_behind_after_ten_thousand_timeouts) { // B16
    EXPECT_LT(testing::heap_growth_of(100, [&] { ask([&] { time.advance(30s); }); }), little);
}

TEST_F(UnansweredRequests, leave_no_memory_behind_after_ten_thousand_cancellations) { // B16
    EXPECT_LT(testing::heap_growth_of(100, [&] { ask([&] { cancel_all(); }); }), little);
}

TEST_F(RequestReply, fails_at_once_when_too_many_wait_already) {
    auto server_builder = service("labels");
    server_builder->serve<print_label>([](const print_label&) { return label_printed{}; });
    started(*server_builder)->stop(); // leaves the queue, and nobody who takes from it
    auto builder = service("orders");
    builder->max_pending_requests(2);
    const auto orders = started(*builder);
    boost::asio::cancellation_signal cancel;
    std::promise<std::exception_ptr> ended;
    orders->async_request<label_printed>(
        print_label{"17"},
        boost::asio::bind_cancellation_slot(
            cancel.slot(), [&](const std::exception_ptr& failure, const label_printed&) { ended.set_value(failure); }));
    auto second = orders->async_request<label_printed>(print_label{"18"}, boost::asio::use_future);

    try {
        (void)orders->request<label_printed>(print_label{"19"});
        FAIL() << "it was sent";
    } catch (const too_many_requests& thrown) {
        EXPECT_TRUE(thrown.is_transient());
        EXPECT_THAT(thrown.what(), ::testing::HasSubstr("2 requests wait for their reply already"));
    }
    EXPECT_THROW(orders->async_request<label_printed>(print_label{"20"}, boost::asio::use_future).get(),
                 too_many_requests);
    EXPECT_EQ(broker->depth("print-label"), 2U) << "those that were too many have not left";

    cancel.emit(boost::asio::cancellation_type::total);
    EXPECT_TRUE(ended.get_future().get());
    auto third = orders->async_request<label_printed>(print_label{"21"}, boost::asio::use_future);
    EXPECT_EQ(broker->depth("print-label"), 3U) << "there is room again";
    orders->stop();
    EXPECT_THROW(second.get(), not_running);
    EXPECT_THROW(third.get(), not_running);
}

TEST_F(RequestReply, may_wait_for_ever) {
    auto builder = service("labels");
    builder->serve<print_label>([](const print_label& order) { return label_printed{order.order_id}; });
    const auto labels = started(*builder);
    EXPECT_EQ(labels->request<label_printed>(print_label{"17"}, {.timeout = duration::max()}).label, "17");
}

TEST_F(RequestReply, can_be_cancelled) { // B16
    watched<bool> released;
    auto builder = service("labels");
    builder->serve<print_label>([&](const print_label&) {
        (void)released.eventually([](bool yes) { return yes; });
        return label_printed{};
    });
    const auto labels = started(*builder);
    boost::asio::cancellation_signal cancel;
    std::promise<std::exception_ptr> ended;
    labels->async_request<label_printed>(
        print_label{"17"},
        boost::asio::bind_cancellation_slot(
            cancel.slot(), [&](const std::exception_ptr& failure, const label_printed&) { ended.set_value(failure); }));
    EXPECT_EQ(labels->pending_requests(), 1U);

    cancel.emit(boost::asio::cancellation_type::total);

    const std::exception_ptr failure = ended.get_future().get();
    EXPECT_THROW(std::rethrow_exception(failure), request_cancelled);
    EXPECT_EQ(labels->pending_requests(), 0U);
    released.change([](bool& yes) { yes = true; });
}

TEST_F(RequestReply, of_what_nobody_serves_fails_at_once) { // B6
    auto builder = service("orders");
    const auto orders = started(*builder);
    EXPECT_THROW((void)orders->request<label_printed>(print_label{"17"}), transport_error);
    EXPECT_EQ(orders->pending_requests(), 0U);
}

TEST_F(RequestReply, with_an_answer_of_another_type_is_a_clear_error) {
    auto builder = service("labels");
    builder->serve<print_label>([](const print_label&) { return invoice_created{"17"}; });
    const auto labels = started(*builder);
    EXPECT_THROW((void)labels->request<label_printed>(print_label{"17"}), unexpected_reply);
}

TEST_F(RequestReply, says_what_to_do_when_the_handler_returns_nothing) {
    auto builder = service("labels");
    builder->serve<print_label>([](const print_label&) {});
    const auto labels = started(*builder);
    try {
        (void)labels->request<label_printed>(print_label{"17"});
        FAIL() << "answered";
    } catch (const unexpected_reply& thrown) {
        EXPECT_THAT(thrown.what(), ::testing::HasSubstr("request it without a reply type"));
    }
}

TEST_F(RequestReply, fails_when_the_bus_stops_meanwhile) {
    watched<bool> released;
    record<std::string> asked;
    auto server_builder = service("labels");
    server_builder->serve<print_label>([&](const print_label& order) {
        asked.add(order.order_id);
        (void)released.eventually([](bool yes) { return yes; });
        return label_printed{};
    });
    auto caller_builder = service("orders");
    const auto server = started(*server_builder);
    const auto caller = started(*caller_builder);
    auto answer = caller->async_request<label_printed>(print_label{"17"}, boost::asio::use_future);
    ASSERT_TRUE(asked.reaches(1));
    caller->stop();
    EXPECT_THROW((void)answer.get(), not_running);
    released.change([](bool& yes) { yes = true; });
}

TEST_F(RequestReply, works_from_inside_a_handler) {
    record<std::string> labels_seen;
    auto builder = service("shipping");
    builder->serve<print_label>([](const print_label& order) { return label_printed{"label " + order.order_id}; });
    builder->handle<order_placed>([&](const order_placed& order, consume_context& context) {
        labels_seen.add(context.request<label_printed>(print_label{order.order_id}).label);
    });
    const auto shipping = started(*builder);
    shipping->publish(order_placed{"17"});
    ASSERT_TRUE(labels_seen.reaches(1));
    EXPECT_EQ(labels_seen.all().front(), "label 17");
}

TEST_F(RequestReply, can_be_awaited_by_a_coroutine) {
    auto builder = service("labels");
    builder->serve<print_label>([](const print_label& order) { return label_printed{"label " + order.order_id}; });
    const auto labels = started(*builder);
    boost::asio::io_context loop;
    std::string label;
    boost::asio::co_spawn(
        loop,
        [&]() -> boost::asio::awaitable<void> {
            co_await labels->async_publish(order_placed{"17"}, boost::asio::use_awaitable);
            const auto answer =
                co_await labels->async_request<label_printed>(print_label{"17"}, boost::asio::use_awaitable);
            label = answer.label;
        },
        boost::asio::detached);
    loop.run();
    EXPECT_EQ(label, "label 17");
}

} // namespace
} // namespace ferry::scenarios
