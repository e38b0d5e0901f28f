#include "rabbit_shop.hpp"

#include <support/test_host.hpp>
#include <support/test_sinks.hpp>

namespace ferry::scenarios {
namespace {

constexpr std::size_t what_the_broker_takes = std::size_t{16} << 20;

/// What the sender wants done with messages whose connection broke.
class WhenAMessageIsTooLarge : public rabbit_shop, public ::testing::WithParamInterface<amqp::unconfirmed> {
protected:
    [[nodiscard]] static amqp::transport_options options(std::size_t largest = what_the_broker_takes) {
        amqp::transport_options options = impatient();
        options.when_connection_breaks = GetParam();
        options.max_message_size = largest;
        return options;
    }
    void SetUp() override { start(carrier); }
    void start(amqp::transport& which) {
        which.start(host.lend());
        which.declare({.queues = {{.name = "orders"}}});
    }
    void send(std::size_t size) { send(carrier, size); }
    void send(amqp::transport& by, std::size_t size) {
        envelope message;
        message.destination = address::queue("orders");
        message.body.assign(std::string(size, 'x'));
        by.send(message, [this](const send_outcome& outcome) {
            (outcome.status == send_status::confirmed ? confirmed : failed).change([&](int& count) { ++count; });
        });
    }
    void send_fifty() { send_fifty(carrier); }
    void send_fifty(amqp::transport& by) {
        for (int i = 0; i < 50; ++i) {
            send(by, 100);
        }
    }
    [[nodiscard]] bool are_confirmed(int expected) const {
        return confirmed.eventually([&](int count) { return count == expected; });
    }
    void TearDown() override {
        carrier.stop();
        rabbit_shop::TearDown();
    }
    watched<int> confirmed{0};
    watched<int> failed{0};
    testing::test_host host;
    amqp::transport carrier{url(network.port()), options()};
};

TEST_P(WhenAMessageIsTooLarge, it_fails_its_own_sender_only) { // B84
    send_fifty();
    try {
        send(what_the_broker_takes + 1);
        ADD_FAILURE() << "sent";
    } catch (const transport_error& failure) {
        EXPECT_FALSE(failure.is_transient()) << failure.what();
        EXPECT_THAT(failure.what(), ::testing::HasSubstr("16777217 bytes"));
        EXPECT_THAT(failure.what(), ::testing::HasSubstr("max_message_size"));
    }
    send_fifty();
    EXPECT_TRUE(are_confirmed(100));
    EXPECT_EQ(network.connections(), 1);
}

TEST_P(WhenAMessageIsTooLarge, one_that_only_the_broker_finds_too_large_costs_one_connection) { // B84
    amqp::transport mistaken{url(network.port()), options(2 * what_the_broker_takes)};
    start(mistaken);
    const int connections = network.connections();
    send_fifty(mistaken);
    send(mistaken, what_the_broker_takes + 1);
    send_fifty(mistaken);
    ASSERT_TRUE(failed.eventually([](int count) { return count > 0; }));
    if (GetParam() == amqp::unconfirmed::resend) { // or they fail, those that were on their way with it
        EXPECT_TRUE(are_confirmed(100));
        EXPECT_EQ(failed.get(), 1);
    }
    const int until_now = confirmed.get();
    send_fifty(mistaken);
    EXPECT_TRUE(confirmed.eventually([&](int count) { return count >= until_now + 50; }));
    EXPECT_EQ(network.connections(), connections + 1);
    mistaken.stop();
}

TEST_P(WhenAMessageIsTooLarge, one_that_just_fits_is_taken) {
    send(what_the_broker_takes);
    EXPECT_TRUE(are_confirmed(1));
    EXPECT_EQ(network.connections(), 1);
}

INSTANTIATE_TEST_SUITE_P(With, WhenAMessageIsTooLarge,
                         ::testing::Values(amqp::unconfirmed::fail, amqp::unconfirmed::resend), [](const auto& wanted) {
                             return wanted.param == amqp::unconfirmed::fail ? "fail" : "resend";
                         });

} // namespace
} // namespace ferry::scenarios
