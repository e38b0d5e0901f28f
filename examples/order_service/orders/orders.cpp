#include "orders.hpp"

#include "../shared/messages.hpp"
#include "../shared/tenant.hpp"
#include "../shared/trouble.hpp"

namespace shop {

namespace {

/// An order that is paid or refused needs no reminder.
void cancel_reminder(session& tx, ferry::consume_context& context, const std::string& order_id) {
    const result waiting =
        tx.run("select reminder from orders where order_id = $1 and reminder_state = 'waiting'", {order_id});
    if (waiting.rows.empty()) {
        return;
    }
    const auto token = ferry::uuid::parse(waiting.rows.front().front());
    const bool in_time = token && context.cancel({*token});
    tx.run("update orders set reminder_state = $2 where order_id = $1", {order_id, in_time ? "cancelled" : "too late"});
}

struct note_payment {
    database& tables;

    void operator()(const order_invoiced& invoice, ferry::consume_context& context) const {
        cancel_reminder(*tables.in(context), context, invoice.order_id);
    }
};

/// Reads the dead letters of billing: nobody pays for these orders.
struct note_refusal {
    database& tables;

    void operator()(const order_placed& refused, ferry::consume_context& context) const {
        const auto tx = tables.in(context);
        tx->run("insert into refusals (order_id, reason) values ($1, $2)",
                {refused.order_id, std::string{context.headers().text("fault-message")}});
        tx->run("update orders set state = 'refused' where order_id = $1", {refused.order_id});
        cancel_reminder(*tx, context, refused.order_id);
    }
};

struct remind {
    database& tables;

    void operator()(const payment_reminder& reminder, ferry::consume_context& context) const {
        tables.in(context)->run("insert into reminders (order_id) values ($1)", {reminder.order_id});
    }
};

/// Follows the parcel. The two steps of an order come in their order, and if they ever did not, it would show.
struct follow_parcel {
    database& tables;

    void operator()(const parcel_moved& parcel, ferry::consume_context& context) const {
        const bool last = parcel.step == parcel_step::shipped;
        tables.in(context)->run("update orders set state = $2, "
                                "disorder = disorder + case when state = $3 then 0 else 1 end where order_id = $1",
                                {parcel.order_id, last ? "shipped" : "packed", last ? "packed" : "placed"});
    }
};

} // namespace

void create_order_tables(database& tables) {
    const auto tx = tables.begin();
    tx->run("create table if not exists orders (order_id text primary key, tenant text not null, "
            "total_cents bigint not null, placed_at bigint not null, express_until bigint not null, "
            "state text not null default 'placed', disorder integer not null default 0, "
            "reminder text not null, reminder_state text not null default 'waiting')");
    tx->run("create table if not exists refusals (order_id text not null, reason text not null)");
    tx->run("create table if not exists reminders (order_id text not null)");
    tx->commit();
}

void add_orders(ferry::bus_builder& builder, database& tables) {
    builder.endpoint("orders.payments", [&](ferry::endpoint_builder& endpoint) {
        endpoint.use_after("fault", tenant_check{}).resilience(passing_trouble);
        endpoint.handle<order_invoiced>(note_payment{tables});
    });
    builder.endpoint("payment-reminder", [&](ferry::endpoint_builder& endpoint) {
        endpoint.use_after("fault", tenant_check{}).resilience(passing_trouble);
        endpoint.serve<payment_reminder>(remind{tables});
    });

    // #region tracking
    builder.endpoint("orders.tracking", [&](ferry::endpoint_builder& endpoint) {
        endpoint.use_after("fault", tenant_check{}).resilience(trouble_in_order);
        endpoint.concurrency_limit(1); // one after the other: the steps of a parcel keep their order
        endpoint.group_commit(64);     // and up to 64 of them share a commit
        endpoint.handle<parcel_moved>(follow_parcel{tables});
    });
    // #endregion

    // #region dead_letters
    builder.endpoint("billing.dead-letters", [&](ferry::endpoint_builder& endpoint) {
        endpoint.no_error_queue(); // what fails here stays here: it is in an error queue already
        endpoint.use_after("fault", tenant_check{}).resilience(passing_trouble);
        endpoint.serve<order_placed>(note_refusal{tables});
    });
    // #endregion
}

} // namespace shop
