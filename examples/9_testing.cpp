// Testing handlers and policies: the harness runs a real bus on a clock that stands still until you move it.
// Look at: two retries and a redelivery after five minutes take no time at all, and nothing sleeps.

#include <ferry/testing/harness.hpp>

#include <iostream>
#include <stdexcept>

namespace shop {

struct order_placed {
    std::string order_id;
};
struct invoice_created {
    std::string order_id;
};

struct printer_jam : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// What is tested here: the fourth attempt succeeds.
void create_invoice(const order_placed& order, ferry::consume_context& context) {
    if (context.attempt().redelivery == 0) {
        throw printer_jam{"paper jam"};
    }
    context.publish(invoice_created{order.order_id});
}

void policy(ferry::exception_policy& policy) {
    using namespace std::chrono_literals;
    policy.on<printer_jam>().retry({1s, 2s}).then_redeliver({5min});
}

} // namespace shop

int main() {
    ferry::testing::harness harness{[](ferry::bus_builder& builder) {
        builder.resilience(shop::policy).handle<shop::order_placed>(&shop::create_invoice);
    }};

    harness.bus().publish(shop::order_placed{"17"});
    for (int wait = 1; wait <= 3; ++wait) {
        const auto length = harness.clock().advance_to_next();
        std::cout << "waited " << std::chrono::duration_cast<std::chrono::seconds>(length).count() << " s\n";
    }

    std::cout << "invoice for order " << harness.published<shop::invoice_created>().first().order_id << '\n';
    std::cout << harness.faulted<shop::order_placed>().count() << " attempts failed\n";
    std::cout << harness.dead_lettered<shop::order_placed>().count() << " dead letters\n";
}
