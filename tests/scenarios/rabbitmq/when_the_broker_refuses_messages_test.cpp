#include "rabbit_shop.hpp"

#include <support/test_host.hpp>
#include <support/test_sinks.hpp>

namespace ferry::scenarios {
namespace {

class WhenTheBrokerRefusesMessages : public rabbit_shop, public ::testing::WithParamInterface<amqp::queue_type> {
protected:
    using statuses = std::map<std::string, std::vector<send_status>>;

    /// A transport with one queue that takes everything and one that takes nothing.
    void start(amqp::unconfirmed when_connection_breaks = amqp::unconfirmed::fail) {
        amqp::transport_options options = impatient(GetParam());
        options.when_connection_breaks = when_connection_breaks;
        options.topology.queues = {
            {.name = "full", .arguments = {{"x-max-length", 0}, {"x-overflow", "reject-publish"}}}};
        carrier = std::make_unique<amqp::transport>(url(network.port()), options);
        carrier->start(host.lend());
        carrier->declare({.queues = {{.name = "good"}}});
    }
    void send(const std::string& queue) { send(address::queue(queue)); }
    void send(const address& destination) {
        envelope message;
        message.message_id = uuid::parse("0199c3a4-0000-7000-8000-000000000001").value(); // even if they are alike
        message.destination = destination;
        carrier->send(message, [this, name = destination.name](const send_outcome& outcome) {
            outcomes.change([&](statuses& all) { all[name].push_back(outcome.status); });
        });
    }
    /// Waits for so many outcomes of each of so many destinations.
    [[nodiscard]] statuses told(std::size_t destinations, std::size_t each) const {
        EXPECT_TRUE(outcomes.eventually([&](const statuses& all) {
            return all.size() == destinations &&
                   std::ranges::all_of(all, [&](const auto& one) { return one.second.size() == each; });
        }));
        return outcomes.get();
    }
    /// A quorum queue says that it is full when it is, so a first message gets in.
    void fill_it() {
        for (std::size_t sent = 1;
             outcomes.get()["full"].empty() || outcomes.get()["full"].back() != send_status::failed; ++sent) {
            send("full");
            ASSERT_TRUE(outcomes.eventually(
                [&](const statuses& all) { return all.contains("full") && all.at("full").size() == sent; }));
        }
        outcomes.change([](statuses& all) { all.clear(); });
    }
    void TearDown() override {
        carrier->stop();
        rabbit_shop::TearDown();
    }
    testing::test_host host;
    std::unique_ptr<amqp::transport> carrier;
    watched<statuses> outcomes;
};

TEST_P(WhenTheBrokerRefusesMessages, each_fails_alone_among_others) { // B84 B92
    start();
    fill_it();
    constexpr std::size_t each = 50;
    for (std::size_t i = 0; i < each; ++i) {
        send("good");
        send("full");
        send("nobody");
    }
    const statuses all = told(3, each);
    EXPECT_THAT(all.at("good"), ::testing::Each(send_status::confirmed));
    EXPECT_THAT(all.at("full"), ::testing::Each(send_status::failed));
    EXPECT_THAT(all.at("nobody"), ::testing::Each(send_status::unroutable));
    EXPECT_EQ(network.connections(), 1);
}

TEST_P(WhenTheBrokerRefusesMessages, an_exchange_that_is_missing_or_forbidden_fails_its_own_senders_only) { // B84
    start();
    constexpr std::size_t each = 50;
    for (std::size_t i = 0; i < each; ++i) {
        send("good");
        send(address::exchange("missing"));
        send(address::exchange("amq.rabbitmq.trace")); // of the broker's own
        send(address::exchange("amq.fanout"));
    }
    const statuses all = told(4, each);
    EXPECT_THAT(all.at("good"), ::testing::Each(send_status::confirmed));
    EXPECT_THAT(all.at("missing"), ::testing::Each(send_status::unroutable));
    EXPECT_THAT(all.at("amq.rabbitmq.trace"), ::testing::Each(send_status::failed));
    EXPECT_THAT(all.at("amq.fanout"), ::testing::Each(send_status::unroutable)); // nobody listens
    EXPECT_EQ(network.connections(), 1);
}

TEST_P(WhenTheBrokerRefusesMessages, an_exchange_that_is_deleted_costs_one_connection) { // B84
    start(amqp::unconfirmed::resend);
    broker.put("/api/exchanges/" + vhost + "/theirs", R"({"type": "fanout", "durable": true})");
    send(address::exchange("theirs"));
    (void)told(1, 1);
    broker.remove("/api/exchanges/" + vhost + "/theirs");
    outcomes.change([](statuses& all) { all.clear(); });
    constexpr std::size_t each = 50;
    for (std::size_t i = 0; i < each; ++i) {
        send("good");
        send(address::exchange("theirs"));
    }
    const statuses all = told(2, each);
    EXPECT_THAT(all.at("good"), ::testing::Each(send_status::confirmed));
    EXPECT_THAT(all.at("theirs"), ::testing::Each(send_status::unroutable));
    EXPECT_EQ(network.connections(), 2);
}

INSTANTIATE_TEST_SUITE_P(On, WhenTheBrokerRefusesMessages,
                         ::testing::Values(amqp::queue_type::quorum, amqp::queue_type::classic), name_of);

} // namespace
} // namespace ferry::scenarios
