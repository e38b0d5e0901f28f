#include "rabbit_shop.hpp"

#include <support/test_host.hpp>
#include <support/test_sinks.hpp>

namespace ferry::scenarios {
namespace {

/// A transport that can send nothing for a while.
class WhenMuchWaits : public rabbit_shop {
protected:
    void connect(const amqp::transport_options& options) {
        carrier = std::make_unique<amqp::transport>(url(network.port()), options);
        carrier->start(host.lend());
        carrier->declare({.queues = {{.name = "orders"}}});
    }
    void start(const amqp::transport_options& options) {
        connect(options);
        network.refuse(true);
        network.cut();
        ASSERT_TRUE(testing::eventually([&] { return !carrier->health().connected; }));
    }
    void send(std::size_t size) {
        envelope message;
        message.destination = address::queue("orders");
        message.body.assign(std::string(size, 'x'));
        carrier->send(message, [this](const send_outcome& outcome) {
            (outcome.status == send_status::confirmed ? confirmed : failed).change([](int& count) { ++count; });
        });
    }
    /// Sends until no more is taken; answers how many were.
    [[nodiscard]] int fill_with(std::size_t size, const std::string& limit) {
        for (int count = 0; count < 1000; ++count) {
            try {
                send(size);
            } catch (const transport_error& refused) {
                EXPECT_TRUE(refused.is_transient());
                EXPECT_THAT(refused.what(), ::testing::HasSubstr(limit));
                return count;
            }
        }
        return -1;
    }
    void expect_all_of_it_to_leave(int count) {
        network.refuse(false);
        EXPECT_TRUE(confirmed.eventually([&](int now) { return now == count; }));
        send(1);
        EXPECT_TRUE(confirmed.eventually([&](int now) { return now == count + 1; })) << "there is room again";
    }
    void TearDown() override {
        carrier->stop();
        rabbit_shop::TearDown();
    }
    watched<int> confirmed{0};
    watched<int> failed{0};
    testing::test_host host;
    std::unique_ptr<amqp::transport> carrier;
};

TEST_F(WhenMuchWaits, one_message_more_than_allowed_is_refused_at_once) { // B92
    amqp::transport_options options = impatient();
    options.window = 10;
    options.max_waiting_sends = 20;
    start(options);
    EXPECT_EQ(fill_with(1, "max_waiting_sends"), 30);
    expect_all_of_it_to_leave(30);
}

TEST_F(WhenMuchWaits, what_nobody_waits_for_any_more_is_not_declared) {
    amqp::transport_options options = impatient();
    options.send_timeout = 1s;
    start(options);
    EXPECT_THROW(carrier->declare({.queues = {{.name = "given-up"}}}), transport_error);
    network.refuse(false);
    ASSERT_TRUE(testing::eventually([&] {
        try {
            carrier->declare({.queues = {{.name = "wanted"}}}); // after all that was asked for before
            return true;
        } catch (const transport_error&) {
            return false;
        }
    }));
    EXPECT_TRUE(is_there(queue_path("wanted")));
    EXPECT_FALSE(is_there(queue_path("given-up")));
}

TEST_F(WhenMuchWaits, little_is_written_that_the_broker_does_not_read) { // B92
    constexpr int rounds = 8;
    constexpr int each = 80;
    constexpr std::size_t size = 100'000;
    amqp::transport_options options = impatient();
    options.heartbeat = 60s;
    options.send_timeout = 100ms;
    connect(options);
    network.hold_client(true);
    const long before = network.passed_on_from_client();
    for (int round = 1; round <= rounds; ++round) {
        for (int i = 0; i < each; ++i) {
            send(size);
        }
        ASSERT_TRUE(failed.eventually([&](int count) { return count == round * each; }));
    }
    network.hold_client(false);
    int sent = rounds * each;
    ASSERT_TRUE(testing::eventually([&] {
        if (confirmed.get() + failed.get() == sent) {
            send(1);
            ++sent;
        }
        return confirmed.get() > 0;
    }));
    EXPECT_LT(network.passed_on_from_client() - before, long{rounds} * each * long{size} / 2); // most never left
}

TEST_F(WhenMuchWaits, more_bytes_than_allowed_are_refused_at_once) { // B92
    amqp::transport_options options = impatient();
    options.max_waiting_bytes = std::size_t{1} << 20;
    start(options);
    EXPECT_EQ(fill_with(100'000, "max_waiting_bytes"), 10);
    expect_all_of_it_to_leave(10);
}

TEST_F(WhenMuchWaits, a_message_larger_than_all_may_be_goes_when_it_is_alone) { // B92
    amqp::transport_options options = impatient();
    options.max_waiting_bytes = 1000;
    start(options);
    EXPECT_EQ(fill_with(5000, "max_waiting_bytes"), 1);
    expect_all_of_it_to_leave(1);
}

} // namespace
} // namespace ferry::scenarios
