#include "billing.hpp"

#include "faulty_store.hpp"
#include "faulty_transport.hpp"

#include <ferry/amqp/transport.hpp>
#include <ferry/ferry.hpp>
#include <ferry/postgres/store.hpp>

#include <pqxx/pqxx>

#include <chrono>

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

} // namespace

std::unique_ptr<bus_builder> billing(const billing_options& options, fault_plan& plan) {
    postgres::store_options store = options.store;
    store.ensure_schema = true;
    auto builder = std::make_unique<bus_builder>("billing");
    builder->transport(std::make_unique<faulty_transport>(
        std::make_unique<amqp::transport>(options.rabbitmq, options.transport), plan));
    builder->persistence(
        std::make_unique<faulty_store>(std::make_unique<postgres::store>(options.postgres, store), plan),
        persistence_of(options));
    builder->concurrency_limit(4).group_commit(options.group_commit).publishes<invoice_created>();
    const bool scheduled = options.scheduled;
    const bool by_key = options.by_key;
    builder->handle<order_placed>([&plan, scheduled, by_key](const order_placed& order, consume_context& context) {
        auto& transaction = context.transaction<pqxx::transaction_base>();
        transaction.exec("insert into invoices values ($1)", pqxx::params{order.order_id});
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
