#include "rabbit_shop.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <filesystem>
#include <stdexcept>

namespace ferry::scenarios {
namespace {

/// Of this process, those whose other end is there.
std::vector<int> sockets_to(std::uint16_t port) {
    std::vector<int> found;
    for (const auto& each : std::filesystem::directory_iterator{"/proc/self/fd"}) {
        const int socket = std::stoi(each.path().filename());
        sockaddr_in peer{};
        socklen_t size = sizeof peer;
        if (::getpeername(socket, reinterpret_cast<sockaddr*>(&peer), &size) == 0 && peer.sin_family == AF_INET &&
            ntohs(peer.sin_port) == port) {
            found.push_back(socket);
        }
    }
    return found;
}

class WhenTheBrokerChangesItsMind : public rabbit_shop {
protected:
    [[nodiscard]] std::unique_ptr<bus> billing(const amqp::transport_options& options = impatient()) {
        auto builder = service("billing", options);
        builder->handle<order_placed>(
            [this](const order_placed& order, consume_context& context) { handled.add(order, context); });
        return started(*builder);
    }
    static constexpr const char* queue = "billing.order-placed";
    handled_orders handled;
};

TEST_F(WhenTheBrokerChangesItsMind, a_deleted_queue_is_declared_and_consumed_again) { // B86
    const auto bus = billing();
    bus->publish(order_placed{"0"});
    ASSERT_TRUE(handled.reach(1));
    broker.remove(queue_path(queue));
    ASSERT_TRUE(logged("billing.order-placed is consumed no more"));
    ASSERT_TRUE(testing::eventually([&] {
        bus->publish(order_placed{"1"}); // into nowhere, until the queue is bound again
        return bus->counts().handled > 1;
    }));
}

TEST_F(WhenTheBrokerChangesItsMind, publishing_and_consuming_have_connections_of_their_own) { // B91
    const auto bus = billing();
    EXPECT_TRUE(testing::eventually([&] { return bus->health().transport.connected; }));
    EXPECT_EQ(network.connections(), 2);
}

TEST_F(WhenTheBrokerChangesItsMind, the_management_shows_who_we_are) { // B91
    amqp::transport_options options = impatient();
    options.name = "the billing department";
    const auto bus = billing(options);
    EXPECT_TRUE(testing::eventually([&] {
        const std::string told = broker.get("/api/vhosts/" + vhost + "/connections");
        return told.contains(R"("connection_name":"the billing department publishing")") &&
               told.contains(R"("connection_name":"the billing department consuming")");
    }));
    const std::string told = broker.get("/api/vhosts/" + vhost + "/connections");
    EXPECT_THAT(told, ::testing::HasSubstr(R"("product":"ferry")"));
    for (const char* capability : {"consumer_cancel_notify", "connection.blocked"}) {
        EXPECT_THAT(told, ::testing::HasSubstr('"' + std::string{capability} + R"(":true)"));
    }
}

TEST_F(WhenTheBrokerChangesItsMind, no_program_that_is_started_inherits_the_connections) {
    const auto running = billing();
    const std::vector<int> ours = sockets_to(network.port());
    EXPECT_EQ(ours.size(), 2U);
    for (const int each : ours) {
        EXPECT_NE(::fcntl(each, F_GETFD) & FD_CLOEXEC, 0);
    }
}

TEST_F(WhenTheBrokerChangesItsMind, queues_are_quorum_queues_with_a_limit_and_dead_letters) { // B90
    const auto bus = billing();
    const std::string told = broker.get(queue_path(queue));
    EXPECT_THAT(told, ::testing::HasSubstr(R"("x-queue-type":"quorum")"));
    EXPECT_THAT(told, ::testing::HasSubstr(R"("x-delivery-limit":20)"));
    EXPECT_THAT(told, ::testing::HasSubstr(R"("x-dead-letter-routing-key":"billing.order-placed_error")"));
    EXPECT_THAT(told, ::testing::HasSubstr(R"("x-dead-letter-strategy":"at-least-once")"));
}

TEST_F(WhenTheBrokerChangesItsMind, what_may_not_be_created_must_be_there) { // B90
    amqp::transport_options options = impatient();
    options.provision = {.queues = false, .exchanges = false, .bindings = false};
    try {
        (void)billing(options);
        FAIL() << "started without its queues";
    } catch (const transport_error& failure) {
        EXPECT_THAT(failure.what(), ::testing::HasSubstr("billing.order-placed"));
        EXPECT_THAT(failure.what(), ::testing::HasSubstr("has to be created first"));
    }
    billing()->stop(); // somebody creates it
    EXPECT_NO_THROW((void)billing(options));
}

TEST_F(WhenTheBrokerChangesItsMind, a_queue_of_another_kind_is_one_clear_error) { // B87
    billing()->stop();
    amqp::transport_options classic = impatient();
    classic.queues = amqp::queue_type::classic;
    try {
        (void)billing(classic);
        FAIL() << "declared differently";
    } catch (const transport_error& failure) {
        EXPECT_FALSE(failure.is_transient());
        EXPECT_THAT(failure.what(), ::testing::HasSubstr("the queue billing.order-placed: "));
        EXPECT_THAT(failure.what(), ::testing::HasSubstr("x-queue-type"));
    }
}

class WhenTheBrokerChangesItsMindAboutAUser : public WhenTheBrokerChangesItsMind {
protected:
    WhenTheBrokerChangesItsMindAboutAUser() {
        broker.put("/api/users/" + user, R"({"password": "secret", "tags": ""})");
        let_read(".*");
    }
    void TearDown() override {
        broker.remove("/api/users/" + user);
        WhenTheBrokerChangesItsMind::TearDown();
    }
    void let_read(const std::string& what) const {
        broker.put("/api/permissions/" + vhost + "/" + user,
                   R"({"configure": ".*", "write": ".*", "read": ")" + what + "\"}");
    }
    [[nodiscard]] std::unique_ptr<bus> billing_as_user() {
        auto builder = service("billing");
        builder->transport(amqp::transport{
            "amqp://" + user + ":secret@127.0.0.1:" + std::to_string(network.port()) + "/" + vhost, impatient()});
        builder->endpoint("billing", [this](endpoint_builder& endpoint) { // whose queue is not read to declare it
            endpoint.no_error_queue().handle<order_placed>(
                [this](const order_placed& order, consume_context& context) { handled.add(order, context); });
        });
        return started(*builder);
    }
    const std::string user = "clerk-" + std::to_string(::getpid());
    static constexpr const char* all_but_the_queue = "^(?!billing$).*";
};

TEST_F(WhenTheBrokerChangesItsMindAboutAUser, a_wrong_password_is_told_and_not_shown) { // B85
    amqp::transport_options options = impatient();
    options.give_up_after = 300ms;
    auto builder = service("billing");
    builder->transport(amqp::transport{
        "amqp://" + user + ":not-the-word@127.0.0.1:" + std::to_string(network.port()) + "/" + vhost, options});
    bus refused = builder->build();
    std::string told;
    try {
        refused.start();
    } catch (const transport_error& failure) {
        told = failure.what();
    }
    told += refused.health().text() + refused.describe().text();
    for (const std::string& each : log.get()) {
        told += each;
    }
    EXPECT_THAT(told, ::testing::HasSubstr("ACCESS_REFUSED"));
    EXPECT_THAT(told, ::testing::Not(::testing::HasSubstr("not-the-word")));
}

TEST_F(WhenTheBrokerChangesItsMindAboutAUser, a_queue_that_may_not_be_read_is_a_clear_error) { // B86
    let_read(all_but_the_queue);
    try {
        (void)billing_as_user();
        FAIL() << "started without its messages";
    } catch (const transport_error& failure) {
        EXPECT_FALSE(failure.is_transient());
        EXPECT_THAT(failure.what(), ::testing::HasSubstr("the queue billing cannot be consumed"));
        EXPECT_THAT(failure.what(), ::testing::HasSubstr("give the user in the URL the right to it"));
    }
}

TEST_F(WhenTheBrokerChangesItsMindAboutAUser, a_queue_that_may_not_be_read_any_more_shows_until_it_may) { // B86
    const auto running = billing_as_user();
    let_read(all_but_the_queue);
    broker.remove(queue_path("billing")); // or the broker would let it go on
    EXPECT_TRUE(testing::eventually([&] {
        const transport_health now = running->health().transport;
        return !now.connected && now.last_error.contains("ACCESS_REFUSED");
    }));
    let_read(".*");
    EXPECT_TRUE(testing::eventually([&] { return running->health().transport.connected; }));
    running->publish(order_placed{"1"});
    EXPECT_TRUE(handled.have_all({"1"}));
}

TEST_F(WhenTheBrokerChangesItsMind, unroutable_messages_are_told_apart) { // B5 B6
    auto builder = service("shop");
    const auto shop = started(*builder);
    EXPECT_NO_THROW(shop->publish(order_placed{"1"}));
    EXPECT_EQ(shop->counts().unrouted_events, 1U);
    try {
        shop->send(ship_order{"1"});
        FAIL() << "sent to nobody";
    } catch (const transport_error& failure) {
        EXPECT_THAT(failure.what(), ::testing::HasSubstr("queue:ship-order"));
    }
}

TEST_F(WhenTheBrokerChangesItsMind, two_services_get_an_event_once_each) { // B5
    handled_orders shipped;
    auto builder = service("shipping");
    builder->handle<order_placed>(
        [&](const order_placed& order, consume_context& context) { shipped.add(order, context); });
    const auto shipping = started(*builder);
    const auto bus = billing();
    for (int i = 0; i < 50; ++i) {
        bus->publish(order_placed{std::to_string(i)});
    }
    EXPECT_TRUE(handled.reach(50));
    EXPECT_TRUE(shipped.reach(50));
    EXPECT_THAT(handled.unannounced(), ::testing::IsEmpty());
    EXPECT_THAT(shipped.unannounced(), ::testing::IsEmpty());
}

TEST_F(WhenTheBrokerChangesItsMind, requests_are_answered) { // B11
    auto builder = service("labels");
    builder->serve<print_label>([](const print_label& order) { return label_printed{"label " + order.order_id}; });
    const auto labels = started(*builder);
    for (int i = 0; i < 20; ++i) {
        const std::string id = std::to_string(i);
        EXPECT_EQ(labels->request<label_printed>(print_label{id}).label, "label " + id);
    }
}

TEST_F(WhenTheBrokerChangesItsMind, a_failing_message_is_redelivered_and_then_in_the_error_queue) { // B34 B35 B37
    watched<std::vector<int>> attempts;
    auto builder = service("billing");
    builder->resilience([](exception_policy& policy) { policy.otherwise().redeliver({50ms, 120ms}); });
    builder->handle<order_placed>([&](const order_placed&, consume_context& context) {
        attempts.change([&](auto& all) { all.push_back(context.attempt().redelivery); });
        throw std::runtime_error{"no"};
    });
    const auto bus = started(*builder);
    bus->publish(order_placed{"1"});
    ASSERT_TRUE(testing::eventually([&] { return bus->counts().dead_lettered == 1; }));
    EXPECT_EQ(attempts.get(), (std::vector<int>{0, 1, 2}));
}

TEST_F(WhenTheBrokerChangesItsMind, a_redelivered_message_is_itself_and_waits_in_nobodys_way) { // B34
    struct visit {
        std::string order;
        uuid id;
        int count;
        bool operator==(const visit&) const = default;
    };
    watched<std::vector<visit>> billed;
    watched<std::vector<std::string>> audited;
    auto builder = service("shop");
    builder->endpoint("billing", [&](endpoint_builder& endpoint) {
        endpoint.concurrency_limit(1);
        endpoint.resilience([](exception_policy& policy) { policy.otherwise().redeliver({1s}); });
        endpoint.handle<order_placed>([&](const order_placed& order, consume_context& context) {
            const int count = count_in(context.headers(), header_names::delayed_retry_count);
            billed.change([&](auto& all) { all.push_back({order.order_id, context.message_id(), count}); });
            if (order.order_id == "failing" && count == 0) {
                throw std::runtime_error{"not yet"};
            }
        });
    });
    builder->endpoint("audit", [&](endpoint_builder& endpoint) {
        endpoint.handle<order_placed>(
            [&](const order_placed& order) { audited.change([&](auto& all) { all.push_back(order.order_id); }); });
    });
    const auto bus = started(*builder);
    bus->publish(order_placed{"failing"});
    ASSERT_TRUE(testing::eventually([&] { return bus->counts().redelivered == 1; }));
    bus->publish(order_placed{"meanwhile"});
    ASSERT_TRUE(billed.eventually([](const auto& all) { return all.size() == 3; }));
    const auto all = billed.get();
    EXPECT_EQ(all[1].order, "meanwhile");
    EXPECT_EQ(all[2], (visit{"failing", all[0].id, 1}));
    EXPECT_TRUE(bus->stop().complete()); // nothing is left in a queue that could come
    EXPECT_EQ(audited.get(), (std::vector<std::string>{"failing", "meanwhile"}));
}

TEST_F(WhenTheBrokerChangesItsMind, messages_can_wait_for_years_and_for_milliseconds) { // B34
    const auto bus = billing();
    const time_point now = clock{}();
    EXPECT_NO_THROW(bus->publish(order_placed{"later"}, {.deliver_at = now + 24h * 365 * 8}));
    EXPECT_NO_THROW(bus->publish(order_placed{"soon"}, {.deliver_at = now + 3ms}));
    EXPECT_TRUE(handled.have_all({"soon"}));
    EXPECT_THROW(bus->publish(order_placed{"never"}, {.deliver_at = now + 24h * 365 * 9}), error);
    EXPECT_THAT(broker.get("/api/queues/" + vhost + "/ferry.delay.37"),
                ::testing::HasSubstr(R"("x-message-ttl":137438953472)"));
}

} // namespace
} // namespace ferry::scenarios
