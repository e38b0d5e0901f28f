#include "transport_suite.hpp"

namespace ferry::testing {

namespace {

/// Accepts messages and notes when they came.
class timing_sink final : public delivery_sink {
public:
    struct arrival {
        envelope message;
        time_point at;
    };

    void deliver(std::span<delivery> deliveries) override {
        for (delivery& each : deliveries) {
            arrivals_.change([&](auto& arrivals) { arrivals.push_back({unpacked(each), clock{}()}); });
            std::move(each).accept();
        }
    }
    [[nodiscard]] std::vector<arrival> await(std::size_t count) const {
        EXPECT_TRUE(arrivals_.eventually([count](const auto& arrivals) { return arrivals.size() >= count; }));
        return arrivals_.get();
    }

private:
    watched<std::vector<arrival>> arrivals_;
};

envelope a_message_at(time_point due, const address& destination, std::string_view body) {
    envelope message = a_message_to(destination, body);
    message.scheduled_at = due;
    return message;
}

} // namespace

TEST_P(TransportSuite, brings_delayed_messages_in_due_order_and_none_before_its_time) { // B34, B95
    const std::string queue = a_queue();
    const address destination = address::queue(queue);
    const duration step = 2 * harness().delay_resolution();
    timing_sink sink;
    const auto subscription = billing->consume(queue, {}, sink);
    const time_point start = clock{}();

    ASSERT_EQ(send(shop, a_message_at(start + 2 * step, destination, "late")).status, send_status::confirmed);
    ASSERT_EQ(send(shop, a_message_at(start + step, destination, "early")).status, send_status::confirmed);
    ASSERT_EQ(send(shop, a_message_at(start - step, destination, "past")).status, send_status::confirmed);

    const auto arrivals = sink.await(3);
    ASSERT_EQ(arrivals.size(), 3U);
    EXPECT_EQ(arrivals[0].message.body.view(), "past");
    EXPECT_EQ(arrivals[1].message.body.view(), "early");
    EXPECT_EQ(arrivals[2].message.body.view(), "late");
    for (const auto& each : arrivals) {
        EXPECT_GE(each.at, *each.message.scheduled_at);
    }
}

TEST_P(TransportSuite, keeps_the_order_of_messages_among_which_some_are_delayed) {
    constexpr int count = 2'000;
    const address destination = address::queue(a_queue());
    const address later = address::queue(a_queue("later"));
    accepting_sink sink;
    const auto subscription = billing->consume(destination.name, {}, sink);
    watched<int> confirmed{0};
    const auto send_unheard = [&](const envelope& message) {
        shop->send(message, [&](const send_outcome& outcome) {
            confirmed.change([&](int& told) { told += outcome.status == send_status::confirmed ? 1 : 0; });
        });
    };

    for (const std::string& each : numbers(count)) {
        send_unheard(a_message_at(clock{}() + std::chrono::hours{1}, later, "later"));
        send_unheard(a_message_to(destination, each));
    }

    ASSERT_TRUE(sink.await(count));
    EXPECT_EQ(sink.bodies(), numbers(count));
    EXPECT_TRUE(confirmed.eventually([](int told) { return told == 2 * count; }));
}

TEST_P(TransportSuite, fans_out_a_delayed_event_when_it_is_due) {
    const std::string left = a_queue("left");
    const std::string right = a_queue("right");
    const std::string exchange = an_exchange("order-placed", {address::queue(left), address::queue(right)});
    accepting_sink in_left;
    accepting_sink in_right;
    const auto first = billing->consume(left, {}, in_left);
    const auto second = shop->consume(right, {}, in_right);

    const time_point due = clock{}() + harness().delay_resolution();
    ASSERT_EQ(send(shop, a_message_at(due, address::exchange(exchange), "event")).status, send_status::confirmed);

    EXPECT_TRUE(in_left.await(1));
    EXPECT_TRUE(in_right.await(1));
}

TEST_P(TransportSuite, is_not_held_up_by_delayed_events_that_nobody_hears_of) {
    const address nobody = address::exchange(an_exchange("unheard", {}));
    const std::string queue = a_queue();
    accepting_sink sink;
    const auto subscription = billing->consume(queue, {}, sink);
    const auto send_later = [&](const address& destination) {
        return send(shop, a_message_at(clock{}() + harness().delay_resolution(), destination, "later")).status;
    };
    for (int i = 0; i < 60; ++i) { // a transport may know at once that nobody is there, or find out when it is due
        EXPECT_NE(send_later(nobody), send_status::failed);
    }

    EXPECT_EQ(send_later(address::queue(queue)), send_status::confirmed);

    EXPECT_TRUE(sink.await(1));
}

TEST_P(TransportSuite, says_unroutable_of_a_delayed_message_to_a_missing_queue) { // B6
    const time_point due = clock{}() + harness().delay_resolution();

    EXPECT_EQ(send(shop, a_message_at(due, address::queue(unique("missing")), "lost")).status, send_status::unroutable);
}

} // namespace ferry::testing
