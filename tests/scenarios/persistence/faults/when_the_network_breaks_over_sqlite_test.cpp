#include "../../rabbitmq/rabbit_shop.hpp"
#include "billing_messages.hpp"
#include "invoice_file.hpp"

#include <ferry/sqlite/store.hpp>

#include <map>
#include <thread>

namespace ferry::scenarios {
namespace {

/// A service with RabbitMQ on one side and a file on the other.
class WhenTheNetworkBreaksOverSqlite : public rabbit_shop {
protected:
    [[nodiscard]] std::unique_ptr<bus> billing() {
        auto builder = service("billing");
        persistence_options options;
        options.relay.poll_interval = 500ms;
        options.relay.batch = 5;
        builder->persistence(sqlite::store{file.path(), {.synchronous = sqlite::durability::normal}}, options);
        builder->handle<order_placed>([](const order_placed& order, consume_context& context) {
            exec(context.transaction<sqlite3>(), "insert into invoices values ('" + order.order_id + "')");
            context.publish(invoice_created{order.order_id});
        });
        return started(*builder);
    }
    [[nodiscard]] std::unique_ptr<bus> audit() {
        auto builder = service("audit");
        builder->handle<invoice_created>([this](const invoice_created& invoice, consume_context& context) {
            heard.change([&](auto& all) { ++all[invoice.order_id][context.message_id().to_string()]; });
        });
        return started(*builder);
    }

    invoice_file file;
    watched<std::map<std::string, std::map<std::string, int>>> heard;
};

TEST_F(WhenTheNetworkBreaksOverSqlite, each_order_has_one_effect_and_is_told_of) { // B76 B84
    constexpr int orders = 60;
    const auto auditing = audit();
    auto working = billing();
    const auto shop = started(*service("shop"));
    for (int i = 0; i < orders; ++i) {
        publish_surely(*shop, std::to_string(i));
        if (i % 10 == 5) {
            network.cut();
        }
        if (i == orders / 2) { // and what the file has is there after a restart
            working.reset();
            working = billing();
        }
    }
    EXPECT_TRUE(heard.eventually([](const auto& all) { return all.size() == orders; }));
    EXPECT_TRUE(testing::eventually([&] { return working->outbox().counts().pending == 0; }));
    working.reset();
    const auto written = file.invoices();
    EXPECT_EQ(written.size(), static_cast<std::size_t>(orders));
    EXPECT_TRUE(std::ranges::all_of(written, [](const auto& each) { return each.second == 1; }))
        << "an order has two invoices";
    heard.look([](const auto& all) {
        for (const auto& [order, messages] : all) {
            EXPECT_EQ(messages.size(), 1U) << "order " << order << " was told of by different messages";
        }
    });
}

} // namespace
} // namespace ferry::scenarios
