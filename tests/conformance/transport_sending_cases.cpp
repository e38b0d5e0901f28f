#include "transport_suite.hpp"

#include <array>
#include <atomic>
#include <thread>

namespace ferry::testing {

namespace {

/// Sends every message it gets on to another queue, from inside the delivery.
class forwarding_sink final : public delivery_sink {
public:
    forwarding_sink(transport& carrier, address to) : transport_{carrier}, to_{std::move(to)} {}

    void deliver(std::span<delivery> deliveries) override {
        for (delivery& each : deliveries) {
            envelope message = unpacked(each);
            message.destination = to_;
            // The outcome may come on another thread, so the delivery goes along.
            transport_.send(message, [taken = std::move(each)](const send_outcome& outcome) mutable {
                if (outcome.status == send_status::confirmed) {
                    std::move(taken).accept();
                }
            });
        }
    }

private:
    transport& transport_;
    address to_;
};

} // namespace

TEST_P(TransportSuite, tells_the_outcome_of_every_send_once) { // B93
    constexpr int threads = 4;
    constexpr int each_sends = 2'500;
    const std::string queue = a_queue();
    std::vector<std::atomic<int>> outcomes(threads * each_sends);
    watched<int> confirmed;
    const auto send_some = [&](int thread) {
        for (int i = 0; i < each_sends; ++i) {
            std::atomic<int>& mine = outcomes[static_cast<std::size_t>(thread * each_sends + i)];
            shop->send(a_message_to(address::queue(queue)), [&](const send_outcome& outcome) {
                mine.fetch_add(1);
                confirmed.change([&](int& count) { count += outcome.status == send_status::confirmed ? 1 : 0; });
            });
        }
    };
    {
        std::vector<std::jthread> senders;
        for (int thread = 0; thread < threads; ++thread) {
            senders.emplace_back(send_some, thread);
        }
    }

    EXPECT_TRUE(confirmed.eventually([&](int count) { return count == threads * each_sends; }));
    EXPECT_TRUE(std::ranges::all_of(outcomes, [](const auto& times) { return times == 1; }));
}

TEST_P(TransportSuite, lets_a_sink_send) {
    const std::string queue = a_queue("inbox");
    const std::string next = a_queue("outbox");
    forwarding_sink forwarding{*billing, address::queue(next)};
    accepting_sink sink;
    const auto last = shop->consume(next, {}, sink);
    const auto first = billing->consume(queue, {.prefetch = 4}, forwarding);

    send_numbered(shop, address::queue(queue), 100);

    ASSERT_TRUE(sink.await(100));
    EXPECT_EQ(sorted(sink.bodies()), sorted(numbers(100)));
}

TEST_P(TransportSuite, does_not_look_at_a_message_after_send_has_returned) {
    const std::string queue = a_queue();
    accepting_sink sink;
    const auto subscription = billing->consume(queue, {}, sink);
    auto message = std::make_unique<envelope>(a_message_to(address::queue(queue), "mine"));

    shop->send(*message, [](const send_outcome&) {});
    message->body.assign("changed");
    message.reset();

    ASSERT_TRUE(sink.await(1));
    EXPECT_EQ(sink.bodies().front(), "mine");
}

TEST_P(TransportSuite, refuses_a_message_without_a_destination) {
    EXPECT_THROW(shop->send(a_message_to({}), [](const send_outcome&) { FAIL() << "a callback came"; }), error);
}

} // namespace ferry::testing
