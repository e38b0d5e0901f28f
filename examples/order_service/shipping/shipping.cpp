#include "shipping.hpp"

#include "../shared/messages.hpp"
#include "../shared/tenant.hpp"
#include "../shared/trouble.hpp"

namespace shop {

using namespace std::chrono_literals;

namespace {

// #region get_label
/// Asks first; what there is to write, another handler writes. So no transaction is open while the carrier takes its
/// time.
void get_label(const order_invoiced& invoice, ferry::consume_context& context) {
    const auto answer =
        context.request<label_printed>(print_label{invoice.order_id}, {.timeout = label_timeout, .dispatch = {}});
    context.send(ship_parcel{invoice.order_id, answer.label});
}
// #endregion

// #region ship
/// A label may have been asked for twice, and then this comes twice, as two messages. The order id tells: a parcel that
/// has left does not leave again.
struct ship {
    database& tables;

    void operator()(const ship_parcel& parcel, ferry::consume_context& context) const {
        const auto written =
            tables.in(context)->run("insert into shipments (order_id, label) values ($1, $2) on conflict do nothing",
                                    {parcel.order_id, parcel.label});
        if (written.changed == 0) {
            return;
        }
        const ferry::dispatch_options in_order{.partition_key = parcel.order_id};
        context.publish(parcel_moved{parcel.order_id, parcel_step::packed}, in_order);
        context.publish(parcel_moved{parcel.order_id, parcel_step::shipped}, in_order);
    }
};
// #endregion

struct take_express {
    database& tables;

    void operator()(const book_express& booking, ferry::consume_context& context) const {
        tables.in(context)->run("insert into express (order_id) values ($1)", {booking.order_id});
    }
};

void when_there_is_no_label(ferry::exception_policy& policy) {
    passing_trouble(policy);
    policy.on<ferry::request_timeout>().retry(2, 10ms).then_redeliver(5, 500ms);
}

} // namespace

void create_shipping_tables(database& tables) {
    const auto tx = tables.begin();
    tx->run("create table if not exists shipments (order_id text primary key, label text not null)");
    tx->run("create table if not exists express (order_id text not null)");
    tx->commit();
}

void add_shipping(ferry::bus_builder& builder, database& tables) {
    builder.endpoint("shipping.labels", [](ferry::endpoint_builder& endpoint) {
        endpoint.use_after("fault", tenant_check{});
        endpoint.concurrency_limit(16); // they wait more than they work
        endpoint.handle<order_invoiced>(&get_label, [](ferry::consumer_builder& consumer) {
            consumer.resilience(when_there_is_no_label);
            consumer.inbox(false); // a claim would be a transaction; asking twice does no harm
        });
    });
    // Called as the messages are, so that whoever sends one finds the queue by its name.
    builder.endpoint("ship-parcel", [&](ferry::endpoint_builder& endpoint) {
        endpoint.use_after("fault", tenant_check{}).resilience(passing_trouble);
        endpoint.group_commit(32); // up to 32 parcels leave in one commit
        endpoint.serve<ship_parcel>(ship{tables});
    });
    builder.endpoint("book-express", [&](ferry::endpoint_builder& endpoint) {
        endpoint.use_after("fault", tenant_check{}).resilience(passing_trouble);
        endpoint.serve<book_express>(take_express{tables});
    });
}

} // namespace shop
