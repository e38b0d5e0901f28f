#include "rabbit_shop.hpp"

#include <support/test_host.hpp>
#include <support/test_sinks.hpp>

namespace ferry::scenarios {
namespace {

class WhenTheBrokerRefusesMessages : public rabbit_shop, public ::testing::WithParamInterface<amqp::queue_type> {
protected:
    using statuses = std::map<std::string, std::vector<send_status>>;

    /// A transport with one queue that takes everything and one that takes nothing.
    void start() {
        amqp::transport_options options = impatient(GetParam());
        options.topology.queues = {
            {.name = "full", .arguments = {{"x-max-length", 0}, {"x-overflow", "reject-publish"}}}};
        carrier = std::make_unique<amqp::transport>(url(network.port()), options);
        carrier->start(host.lend());
        carrier->declare({.queues = {{.name = "good"}}});
    }
    void send(const std::string& queue) {
        envelope message;
        message.message_id = uuid::parse("0199c3a4-0000-7000-8000-000000000001").value(); // even if they are alike
        message.destination = address::queue(queue);
        carrier->send(message, [this, queue](const send_outcome& outcome) {
            outcomes.change([&](statuses& all) { all[queue].push_back(outcome.status); });
        });
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
    ASSERT_TRUE(outcomes.eventually([](const statuses& all) {
        return all.size() == 3 && std::ranges::all_of(all, [](const auto& one) { return one.second.size() == each; });
    }));
    const statuses told = outcomes.get();
    EXPECT_THAT(told.at("good"), ::testing::Each(send_status::confirmed));
    EXPECT_THAT(told.at("full"), ::testing::Each(send_status::failed));
    EXPECT_THAT(told.at("nobody"), ::testing::Each(send_status::unroutable));
    EXPECT_EQ(network.connections(), 1);
}

INSTANTIATE_TEST_SUITE_P(On, WhenTheBrokerRefusesMessages,
                         ::testing::Values(amqp::queue_type::quorum, amqp::queue_type::classic), name_of);

} // namespace
} // namespace ferry::scenarios
