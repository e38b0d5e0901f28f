#include "services.hpp"

#include "bank.hpp"
#include "messages.hpp"

#include <chrono>

namespace shop {

using namespace std::chrono_literals;

namespace {

struct invoice_order {
    ledger& books;

    void operator()(const order_placed& order, ferry::consume_context& context) const {
        charge(order, context.attempt(), books);
        books.invoiced(order.order_id, total_of(order));
        context.publish(invoice_created{order.order_id, total_of(order)});
    }
};

struct ship_order {
    ledger& books;

    void operator()(const invoice_created& invoice, ferry::consume_context& context) const {
        const auto answer = context.request<label_printed>(print_label{invoice.order_id});
        books.shipped(invoice.order_id);
        context.publish(order_shipped{invoice.order_id, answer.label});
    }
};

} // namespace

void add_billing(ferry::bus_builder& builder, ledger& books) {
    builder.endpoint("billing", [&](ferry::endpoint_builder& endpoint) {
        endpoint.handle<order_placed>(invoice_order{books});
        endpoint.resilience([](ferry::exception_policy& policy) {
            policy.on<bank_busy>().retry({1ms, 2ms});
            policy.on<bank_closed>().redeliver({50ms});
            policy.on<card_declined>().dead_letter();
        });
    });
}

void add_label_printer(ferry::bus_builder& builder) {
    builder.serve<print_label>([](const print_label& order) { return label_printed{"parcel " + order.order_id}; });
}

void add_shipping(ferry::bus_builder& builder, ledger& books) { builder.handle<invoice_created>(ship_order{books}); }

} // namespace shop
