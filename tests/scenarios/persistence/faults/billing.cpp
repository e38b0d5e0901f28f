#include "billing.hpp"

#include "faulty_store.hpp"
#include "faulty_transport.hpp"

#include <ferry/amqp/transport.hpp>
#include <ferry/ferry.hpp>
#include <ferry/postgres/store.hpp>
#include <ferry/sqlite/store.hpp>

#include <pqxx/pqxx>
#include <sqlite3.h>

#include <chrono>
#include <functional>
#include <stdexcept>

namespace ferry::scenarios {

namespace {

// A short poll, so that what a dead instance left is found soon.
persistence_options persistence_of(const billing_options& options) {
    persistence_options chosen;
    chosen.relay.batch = options.relay_batch;
    chosen.relay.poll_interval = std::chrono::milliseconds{500};
    chosen.relay.publish_immediately = options.publish_immediately;
    return chosen;
}

std::unique_ptr<store> store_of(const billing_options& options) {
    if (!options.sqlite.empty()) {
        return std::make_unique<sqlite::store>(options.sqlite,
                                               sqlite::store_options{.synchronous = sqlite::durability::normal});
    }
    postgres::store_options chosen = options.store;
    chosen.ensure_schema = true;
    return std::make_unique<postgres::store>(options.postgres, chosen);
}

using invoice_writer = std::function<void(const std::string& order, consume_context& context)>;

invoice_writer writer_of(const billing_options& options) {
    if (!options.sqlite.empty()) {
        return [](const std::string& order, consume_context& context) {
            auto& connection = context.transaction<sqlite3>();
            const std::string insert = "insert into invoices values ('" + order + "')";
            if (sqlite3_exec(&connection, insert.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
                throw std::runtime_error{sqlite3_errmsg(&connection)};
            }
        };
    }
    return [](const std::string& order, consume_context& context) {
        context.transaction<pqxx::transaction_base>().exec("insert into invoices values ($1)", pqxx::params{order});
    };
}

} // namespace

std::unique_ptr<bus_builder> billing(const billing_options& options, fault_plan& plan) {
    auto builder = std::make_unique<bus_builder>("billing");
    builder->transport(std::make_unique<faulty_transport>(
        std::make_unique<amqp::transport>(options.rabbitmq, options.transport), plan));
    builder->persistence(std::make_unique<faulty_store>(store_of(options), plan), persistence_of(options));
    builder->concurrency_limit(4).group_commit(options.group_commit).publishes<invoice_created>();
    const bool scheduled = options.scheduled;
    const bool by_key = options.by_key;
    builder->handle<order_placed>(
        [&plan, write = writer_of(options), scheduled, by_key](const order_placed& order, consume_context& context) {
            write(order.order_id, context);
            plan.pass(moment::in_handler);
            if (scheduled) {
                (void)context.schedule_publish(invoice_created{order.order_id}, std::chrono::milliseconds{50});
            } else {
                context.publish(invoice_created{order.order_id},
                                {.partition_key = by_key ? order.order_id.substr(order.order_id.size() - 1) : ""});
            }
        });
    return builder;
}

} // namespace ferry::scenarios
