#pragma once

#include "../../rabbitmq/rabbit_shop.hpp"
#include "billing.hpp"
#include "child_process.hpp"

#include <test_database.hpp>

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>

namespace ferry::scenarios {

/// Looks until the condition holds, for what takes processes and servers seconds; false when patience ran out.
template <typename Condition> [[nodiscard]] bool in_the_end(Condition condition) {
    const auto deadline = std::chrono::steady_clock::now() + 60s;
    while (!condition()) {
        if (std::chrono::steady_clock::now() > deadline) {
            return false;
        }
        std::this_thread::yield();
    }
    return true;
}

/// What was heard of each order: the ids of the messages that told of it, and how often each of them came.
using heard_invoices = std::map<std::string, std::map<std::string, int>>;

/// Somebody places orders, the billing service makes invoices of them in its database, and somebody hears of those.
class billing_shop : public rabbit_shop {
protected:
    explicit billing_shop(testing::management where = {}, std::string postgres = testing::postgres_server())
        : rabbit_shop{where}, database{std::move(postgres)} {
        database.exec("create table invoices (order_id text not null);"
                      "create table diary (entry text not null, sent bigint not null)");
    }

    [[nodiscard]] billing_options own_billing() const {
        return {.rabbitmq = url(broker.amqp_port()), .postgres = database.url(), .transport = impatient()};
    }
    /// Makes the queue, so that orders can be placed before anybody works on them.
    void make_billing_queue() {
        fault_plan none;
        started(*billing(own_billing(), none))->stop();
    }
    [[nodiscard]] testing::child_process service_process(std::vector<std::string> more = {"one_by_one"}) const {
        std::vector<std::string> command{FERRY_CRASHING_SERVICE, url(broker.amqp_port()), database.url()};
        command.insert(command.end(), more.begin(), more.end());
        return testing::child_process{std::move(command)};
    }

    void start_audit() {
        auto builder = service("audit");
        builder->handle<invoice_created>([this](const invoice_created& invoice, consume_context& context) {
            heard.change([&](heard_invoices& all) { ++all[invoice.order_id][context.message_id().to_string()]; });
        });
        audit = started(*builder);
    }
    void place_orders(int count) {
        if (!shop) {
            shop = started(*service("shop"));
        }
        for (int i = 0; i < count; ++i) {
            publish_surely(*shop, std::to_string(++orders));
        }
    }

    [[nodiscard]] std::int64_t invoiced_orders() {
        return database.number("select count(distinct order_id) from invoices");
    }
    /// And on the schedule.
    [[nodiscard]] std::int64_t rows_in_outbox() {
        return database.number("select (select count(*) from ferry.outbox) + (select count(*) from ferry.schedule)");
    }
    [[nodiscard]] std::size_t heard_orders() const {
        return heard.look([](const heard_invoices& all) { return all.size(); });
    }
    [[nodiscard]] bool everything_is_done() {
        return in_the_end([&] {
            return heard_orders() == static_cast<std::size_t>(orders) && invoiced_orders() == orders &&
                   rows_in_outbox() == 0;
        });
    }
    [[nodiscard]] std::string first_in(const std::string& queue) const {
        return broker.post(queue_path(queue) + "/get",
                           R"({"count": 1, "ackmode": "ack_requeue_true", "encoding": "auto"})");
    }
    /// When nobody works any more: whatever somebody had in hand is back in the queue then.
    void expect_one_effect_of_each_order() {
        EXPECT_EQ(invoiced_orders(), orders);
        EXPECT_EQ(database.number("select count(*) from invoices"), orders) << "an order has two invoices";
        EXPECT_EQ(rows_in_outbox(), 0);
        EXPECT_EQ(first_in(billing_queue), "[]");
        EXPECT_EQ(first_in(std::string{billing_queue} + "_error"), "[]");
        EXPECT_EQ(heard_orders(), static_cast<std::size_t>(orders));
        heard.look([](const heard_invoices& all) {
            for (const auto& [order, messages] : all) {
                EXPECT_EQ(messages.size(), 1U) << "order " << order << " was told of by different messages";
            }
        });
    }
    static void stop(testing::child_process& process) {
        process.ask_to_end();
        EXPECT_TRUE(in_the_end([&] { return process.ended().has_value(); }));
        EXPECT_TRUE(process.ended_well());
    }

    testing::test_database database;
    watched<heard_invoices> heard;
    int orders = 0;
    std::unique_ptr<bus> audit;
    std::unique_ptr<bus> shop;
};

} // namespace ferry::scenarios
