// Messages for later, and how they are called back.
// Look at: `schedule_send` returns a token, and `cancel` says whether it came in time. What a handler schedules is
// there once the handler has succeeded. With a store, as here, all of it outlives the process.

#include <ferry/ferry.hpp>
#include <ferry/memory/transport.hpp>
#include <ferry/sqlite/store.hpp>

#include <chrono>
#include <iostream>
#include <latch>

using namespace std::chrono_literals;

namespace shop {

struct order_placed {
    std::string order_id;
};
struct remind_customer {
    std::string order_id;
};

} // namespace shop

int main() {
    std::latch reminded{1};
    ferry::bus_builder builder{"shop"};
    builder.transport(ferry::memory::transport{}).persistence(ferry::sqlite::store{":memory:"}); // mostly a file
    // #region in_a_handler
    builder.handle<shop::order_placed>([](const shop::order_placed& order, ferry::consume_context& context) {
        context.schedule_send(shop::remind_customer{order.order_id}, 50ms);
    });
    // #endregion
    builder.serve<shop::remind_customer>([&](const shop::remind_customer& reminder) {
        std::cout << "reminding the customer of " << reminder.order_id << '\n';
        reminded.count_down();
    });

    ferry::bus bus = builder.build();
    bus.start();
    // #region cancel
    const ferry::schedule_token token = bus.schedule_send(shop::remind_customer{"order-16"}, 1h);
    std::cout << (bus.cancel(token) ? "called back in time\n" : "too late\n");
    std::cout << (bus.cancel(token) ? "called back in time\n" : "too late\n");
    // #endregion
    bus.publish(shop::order_placed{"order-17"});
    reminded.wait();
    bus.stop();
    std::cout << bus.health().scheduled.waiting << " reminders are left\n";
}
