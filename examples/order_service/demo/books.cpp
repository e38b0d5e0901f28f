#include "books.hpp"

#include <format>
#include <map>

namespace shop {

namespace {

/// All that the services have done to one order.
struct entry {
    bool placed = false;
    std::string state = {};
    std::string reminder = {};
    std::int64_t ordered_cents = 0;
    std::int64_t disorder = 0;
    std::int64_t offer_left_ms = 0; ///< of the express when it was taken; 0: it was not
    std::int64_t refusals = 0;
    std::int64_t reminders = 0;
    std::int64_t invoices = 0;
    std::int64_t invoiced_cents = 0;
    std::int64_t shipments = 0;
    std::int64_t express = 0;
};
using entries = std::map<std::string, entry>;

constexpr std::int64_t surely_good_ms = 60'000;

void count(database& tables, const std::string& table, std::int64_t entry::* into, entries& all) {
    for (const auto& row : tables.look("select order_id, count(*) from " + table + " group by order_id").rows) {
        all[row[0]].*into = number(row[1]);
    }
}

entries read(database& orders, database& billing, database& shipping) {
    entries all;
    for (const auto& row :
         orders
             .look("select order_id, state, reminder_state, total_cents, disorder, "
                   "case when express_until = 0 then 0 else express_until - placed_at end from orders")
             .rows) {
        all[row[0]] = {.placed = true,
                       .state = row[1],
                       .reminder = row[2],
                       .ordered_cents = number(row[3]),
                       .disorder = number(row[4]),
                       .offer_left_ms = number(row[5])};
    }
    for (const auto& row : billing.look("select order_id, sum(total_cents) from invoices group by order_id").rows) {
        all[row[0]].invoiced_cents = number(row[1]);
    }
    count(billing, "invoices", &entry::invoices, all);
    count(orders, "refusals", &entry::refusals, all);
    count(orders, "reminders", &entry::reminders, all);
    count(shipping, "shipments", &entry::shipments, all);
    count(shipping, "express", &entry::express, all);
    return all;
}

std::string complaint_about(const entry& each) {
    if (!each.placed) {
        return "nobody has placed it";
    }
    const bool served = each.state == "shipped" && each.invoices == 1 && each.shipments == 1 && each.refusals == 0;
    const bool refused = each.state == "refused" && each.invoices == 0 && each.shipments == 0 && each.refusals == 1;
    if (!served && !refused) {
        return std::format("it is {}, with {} invoices, {} shipments and {} dead letters", each.state, each.invoices,
                           each.shipments, each.refusals);
    }
    if (served && each.invoiced_cents != each.ordered_cents) {
        return std::format("{} cents were ordered and {} invoiced", each.ordered_cents, each.invoiced_cents);
    }
    if (each.disorder != 0) {
        return "its parcel was shipped before it was packed";
    }
    if (each.reminder == "cancelled" && each.reminders != 0) {
        return "its reminder was sent after it was cancelled";
    }
    const std::int64_t least = each.offer_left_ms > surely_good_ms ? 1 : 0;
    const std::int64_t most = each.offer_left_ms > 0 ? 1 : 0;
    if (each.express < least || each.express > most) {
        return std::format("the express was booked {} times, {} ms before its offer ran out", each.express,
                           each.offer_left_ms);
    }
    return {};
}

} // namespace

books::books(const wiring& at)
    : orders_{at.tables("orders")}, billing_{at.tables("billing")}, shipping_{at.tables("shipping")} {}

totals books::sum() const {
    const auto orders =
        orders_
            ->look("select count(*), coalesce(sum(total_cents), 0), "
                   "coalesce(sum(case when state in ('shipped', 'refused') and reminder_state <> 'waiting' "
                   "then 1 else 0 end), 0), "
                   "coalesce(sum(case when state = 'refused' then 1 else 0 end), 0), "
                   "coalesce(sum(case when state = 'refused' then total_cents else 0 end), 0), "
                   "coalesce(sum(case when reminder_state = 'cancelled' then 1 else 0 end), 0), "
                   "coalesce(sum(case when express_until - placed_at > " +
                   std::to_string(surely_good_ms) + " then 1 else 0 end), 0) from orders")
            .rows.front();
    const auto invoices = billing_->look("select count(*), coalesce(sum(total_cents), 0) from invoices").rows.front();
    return {.orders = number(orders[0]),
            .ordered_cents = number(orders[1]),
            .settled = number(orders[2]),
            .refused = number(orders[3]),
            .refused_cents = number(orders[4]),
            .reminders_cancelled = number(orders[5]),
            .express_due = number(orders[6]),
            .invoices = number(invoices[0]),
            .invoiced_cents = number(invoices[1]),
            .shipments = number(shipping_->look("select count(*) from shipments").rows.front().front()),
            .express = number(shipping_->look("select count(*) from express").rows.front().front())};
}

std::vector<std::string> books::complaints() const {
    std::vector<std::string> all;
    for (const auto& [order_id, each] : read(*orders_, *billing_, *shipping_)) {
        if (const std::string wrong = complaint_about(each); !wrong.empty()) {
            all.push_back(std::format("order {}: {}", order_id, wrong));
        }
    }
    const totals sums = sum();
    if (sums.ordered_cents != sums.invoiced_cents + sums.refused_cents) {
        all.push_back(std::format("{} cents were ordered, {} invoiced and {} refused", sums.ordered_cents,
                                  sums.invoiced_cents, sums.refused_cents));
    }
    return all;
}

} // namespace shop
