#include "../../rabbitmq/rabbit_shop.hpp"
#include "billing_messages.hpp"

#include <ferry/sqlite/store.hpp>

#include <sqlite3.h>
#include <support/temporary_folder.hpp>

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
        builder->persistence(sqlite::store{file, {.synchronous = sqlite::durability::normal}}, options);
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
    static void exec(sqlite3& on, const std::string& sql) {
        if (sqlite3_exec(&on, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
            throw std::runtime_error{sqlite3_errmsg(&on)};
        }
    }
    void exec(const std::string& sql) const {
        sqlite3* opened = nullptr;
        ASSERT_EQ(sqlite3_open(file.c_str(), &opened), SQLITE_OK);
        exec(*opened, sql);
        sqlite3_close(opened);
    }
    /// Each invoice, as often as it is there.
    [[nodiscard]] std::map<std::string, int> invoices() const {
        std::map<std::string, int> found;
        sqlite3* opened = nullptr;
        EXPECT_EQ(sqlite3_open(file.c_str(), &opened), SQLITE_OK);
        sqlite3_exec(
            opened, "select order_id from invoices",
            [](void* all, int, char** values, char**) {
                ++(*static_cast<std::map<std::string, int>*>(all))[values[0]];
                return 0;
            },
            &found, nullptr);
        sqlite3_close(opened);
        return found;
    }

    testing::temporary_folder folder;
    std::string file = folder / "shop.db";
    watched<std::map<std::string, std::map<std::string, int>>> heard;
};

TEST_F(WhenTheNetworkBreaksOverSqlite, each_order_has_one_effect_and_is_told_of) { // B76 B84
    constexpr int orders = 60;
    exec("create table invoices (order_id text)");
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
    const auto written = invoices();
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
