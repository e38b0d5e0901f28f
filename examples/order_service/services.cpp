#include "services.hpp"

#include "messages.hpp"

#include <numeric>
#include <stdexcept>

namespace shop {

namespace {

struct card_declined : std::runtime_error {
    using std::runtime_error::runtime_error;
};

std::int64_t total_of(const order_placed& order) {
    return std::accumulate(
        order.lines.begin(), order.lines.end(), std::int64_t{0},
        [](std::int64_t sum, const order_line& line) { return sum + line.quantity * line.price_cents; });
}

struct invoice_order {
    ledger& books;

    void operator()(const order_placed& order, ferry::consume_context& context) const {
        if (order.lines.empty()) {
            books.refused(order.order_id);
            throw card_declined{
                "an order without lines cannot be paid for"}; // ends in the error queue, with this reason
        }
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

void add_billing(ferry::bus_builder& builder, ledger& books) { builder.handle<order_placed>(invoice_order{books}); }

void add_label_printer(ferry::bus_builder& builder) {
    builder.serve<print_label>([](const print_label& order) { return label_printed{"parcel " + order.order_id}; });
}

void add_shipping(ferry::bus_builder& builder, ledger& books) { builder.handle<invoice_created>(ship_order{books}); }

} // namespace shop
