// Every shape a handler can have, and what they say to each other.
// Look at: what `invoicing` publishes leaves only when it has returned; `serve` answers requests; the last lines print
// what the bus was built of.

#include <ferry/ferry.hpp>
#include <ferry/memory/transport.hpp>

#include <boost/asio/awaitable.hpp>

#include <iostream>
#include <latch>

namespace shop {

struct order_placed {
    std::string order_id;
    double total = 0;
};
struct invoice_created {
    std::string order_id;
    double amount = 0;
};
struct order_packed {
    std::string order_id;
};
struct print_label {
    std::string order_id;
};
struct label_printed {
    std::string label;
};

// #region shapes
// A callable object; its endpoint is called after it: `shop.invoicing`.
struct invoicing {
    void operator()(const order_placed& order, ferry::consume_context& context) const {
        context.publish(invoice_created{order.order_id, order.total * 1.2});
    }
};

// A function that answers: what it returns goes back to whoever asked.
label_printed print(const print_label& order) { return {"label for " + order.order_id}; }
// #endregion

} // namespace shop

int main() {
    std::latch done{1};
    ferry::bus_builder builder{"shop"};
    builder.transport(ferry::memory::transport{});
    // #region register
    builder.handle<shop::order_placed>(shop::invoicing{});
    builder.serve<shop::print_label>(&shop::print);

    // A lambda; without a class of its own its endpoint is called after the message.
    builder.handle<shop::invoice_created>([](const shop::invoice_created& invoice, ferry::consume_context& context) {
        std::cout << "invoice over " << invoice.amount << '\n';
        context.publish(shop::order_packed{invoice.order_id});
    });

    // A coroutine, for clients that are written for Asio. Its slot waits for it.
    builder.handle<shop::order_packed>(
        [&](const shop::order_packed& order, ferry::consume_context&) -> boost::asio::awaitable<void> {
            std::cout << "packed order " << order.order_id << '\n';
            done.count_down();
            co_return;
        },
        [](ferry::consumer_builder& consumer) { consumer.name("audit"); });
    // #endregion

    ferry::bus bus = builder.build();
    bus.start();
    bus.publish(shop::order_placed{"17", 100});
    done.wait();
    std::cout << bus.request<shop::label_printed>(shop::print_label{"17"}).label << '\n';
    bus.stop();
    std::cout << bus.describe().text();
}
