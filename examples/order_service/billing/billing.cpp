#include "billing.hpp"

#include "../shared/messages.hpp"
#include "../shared/tenant.hpp"
#include "../shared/trouble.hpp"

#include <chrono>

namespace shop {

using namespace std::chrono_literals;

namespace {

// #region charge_card
/// An order that comes twice is charged once: a copy never gets here, the inbox drops it. And when the process dies
/// between the charge and the commit, the order comes again, and the gateway knows it by its id.
struct charge_card {
    database& tables;
    gateway& bank;

    void operator()(const order_placed& order, ferry::consume_context& context) const {
        bank.charge(order.order_id, order.paid_with);
        const tenant& owner = *context.delivery().features().find<tenant>();
        tables.in(context)->run("insert into invoices (order_id, total_cents, currency) values ($1, $2, $3)",
                                {order.order_id, order.total_cents, owner.currency});
        context.publish(order_invoiced{order.order_id, order.total_cents}, {.partition_key = order.order_id});
    }
};
// #endregion

// #region policy
void when_charging_fails(ferry::exception_policy& policy) {
    passing_trouble(policy);
    policy.on<card_declined>().dead_letter(); // no sooner is this over than somebody finds another card
    policy.on<gateway_unavailable>().retry({5ms, 10ms}).then_redeliver({250ms, 500ms, 1s, 2s, 5s});
}
// #endregion

} // namespace

void create_billing_tables(database& tables) {
    const auto tx = tables.begin();
    tx->run("create table if not exists invoices (order_id text not null, total_cents bigint not null, "
            "currency text not null)");
    tx->commit();
}

void add_billing(ferry::bus_builder& builder, database& tables, gateway& bank) {
    builder.endpoint("billing", [&](ferry::endpoint_builder& endpoint) {
        endpoint.error_queue("billing.dead-letters"); // orders reads it
        endpoint.use_after("fault", tenant_check{});
        endpoint.circuit_breaker({.break_duration = 1s}); // outages of the gateway are short ones
        endpoint.handle<order_placed>(charge_card{tables, bank}, [](ferry::consumer_builder& consumer) {
            consumer.resilience(when_charging_fails);
        });
    });
}

} // namespace shop
