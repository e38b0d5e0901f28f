#include "rabbit_shop.hpp"

#include <ferry/sqlite/store.hpp>

#include <support/temporary_folder.hpp>

#include <stdexcept>

namespace ferry::scenarios {
namespace {

/// A service on RabbitMQ that keeps what it has to remember in a file.
class WithAStore : public rabbit_shop {
protected:
    [[nodiscard]] std::unique_ptr<bus> billing(bool works) {
        auto builder = service("billing");
        builder->persistence(sqlite::store{folder / "billing.db"}, {.outbox = true, .inbox = true});
        builder->resilience([](exception_policy& policy) { policy.otherwise().redeliver({300ms}); });
        builder->handle<order_placed>([this, works](const order_placed& order, consume_context& context) {
            if (!works) {
                throw std::runtime_error{"closed"};
            }
            rounds.change([&](auto& all) { all[order.order_id] = context.attempt().redelivery; });
        });
        return started(*builder);
    }
    testing::temporary_folder folder;
    watched<std::map<std::string, int>> rounds;
};

TEST_F(WithAStore, a_failing_message_waits_there_while_everything_stops_and_starts) { // B34 B35
    {
        const auto bus = billing(false);
        bus->publish(order_placed{"1"});
        ASSERT_TRUE(testing::eventually([&] { return bus->counts().redelivered == 1; }));
        EXPECT_FALSE(is_there(queue_path("ferry.delay.00"))) << "nothing waits at the broker";
    }
    const auto bus = billing(true);
    ASSERT_TRUE(rounds.eventually([](const auto& all) { return all.contains("1"); }));
    EXPECT_EQ(rounds.get().at("1"), 1);
}

TEST_F(WithAStore, a_reply_that_another_process_sends_has_the_callers_own_correlation_id) { // B3
    broker.put(queue_path("replies"), R"({"durable": true})");
    {
        auto builder = service("labels");
        builder->persistence(sqlite::store{folder / "labels.db"});
        builder->serve<print_label>([this](const print_label& order) {
            network.refuse(true); // so that the reply stays in the file
            network.cut();
            return label_printed{"label " + order.order_id};
        });
        const auto labels = started(*builder);
        broker.post(
            "/api/exchanges/" + vhost + "/amq.default/publish",
            R"({"routing_key": "print-label", "payload": "{\"order_id\": \"17\"}", "payload_encoding": "string",)"
            R"( "properties": {"type": ")" +
                message_type::of<print_label>().urn + R"(", "reply_to": "replies", "correlation_id": "no. 17"}})");
        ASSERT_TRUE(testing::eventually([&] { return labels->counts().handled == 1; }));
    }
    network.refuse(false);
    auto builder = service("labels"); // which serves nothing, so the request, which comes again, is not for it
    builder->persistence(sqlite::store{folder / "labels.db"});
    const auto other = started(*builder);
    std::string reply;
    ASSERT_TRUE(testing::eventually([&] {
        reply = broker.post(queue_path("replies") + "/get",
                            R"({"count": 1, "ackmode": "ack_requeue_false", "encoding": "auto"})");
        return reply.contains("label 17");
    }));
    EXPECT_THAT(reply, ::testing::HasSubstr(R"("correlation_id":"no. 17")"));
}

} // namespace
} // namespace ferry::scenarios
