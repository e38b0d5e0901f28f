#include "order_desk.hpp"

#include <chrono>

namespace shop {

using namespace std::chrono_literals;

namespace {

std::int64_t milliseconds_of(std::optional<moment> at) { return at ? at->time_since_epoch().count() : 0; }

} // namespace

// #region place
bool order_desk::place(const std::string& order_id, const order& placed) {
    const auto now = std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
    const ferry::dispatch_options with{.partition_key = order_id, .tenant = placed.tenant};

    const auto tx = tables_.begin();
    const auto reminder = outbox_.schedule_send(*tx, payment_reminder{order_id}, now + 1h, with);
    const auto written =
        tx->run("insert into orders (order_id, tenant, total_cents, placed_at, express_until, reminder) "
                "values ($1, $2, $3, $4, $5, $6) on conflict do nothing",
                {order_id, placed.tenant, total_of(placed), milliseconds_of(now), milliseconds_of(placed.express_until),
                 reminder.id.to_string()});
    if (written.changed == 0) {
        return false; // which rolls back: there is no second reminder either
    }
    outbox_.publish(*tx, order_placed{order_id, placed.paid_with, total_of(placed)}, with);
    if (placed.express_until) {
        outbox_.send(*tx, book_express{order_id}, {.deliver_by = *placed.express_until, .tenant = placed.tenant});
    }
    tx->commit();
    outbox_.wake(); // or the relay would have to look by itself
    return true;
}
// #endregion

std::optional<std::string> order_desk::state_of(const std::string& order_id) {
    const result found = tables_.look("select state from orders where order_id = $1", {order_id});
    return found.rows.empty() ? std::nullopt : std::optional{found.rows.front().front()};
}

} // namespace shop
