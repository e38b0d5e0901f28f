#include "report.hpp"

#include <algorithm>
#include <format>
#include <iostream>

namespace shop {

namespace {

constexpr std::size_t most_complaints = 5;

std::string money(std::int64_t cents) { return std::format("{}.{:02}", cents / 100, cents % 100); }

void print_sums(const outcome& all, const status_board& board) {
    const totals& sums = all.sums;
    const auto messages = static_cast<double>(board.counts_of_all().handled);
    std::cout << std::format(R"(
  orders placed     {:>10}    {:>14}
  invoices          {:>10}    {:>14}
  shipments         {:>10}
  refused           {:>10}    {:>14}
  messages handled  {:>10.0f}    {:>8.0f} a second
  seconds           {:>10.1f}
)",
                             sums.orders, money(sums.ordered_cents), sums.invoices, money(sums.invoiced_cents),
                             sums.shipments, sums.refused, money(sums.refused_cents), messages, messages / all.seconds,
                             all.seconds);
}

void print_troubles(const outcome& all, const status_board& board) {
    const service_counts sum = board.counts_of_all();
    std::cout << std::format(R"(
What happened on the way
  {:>6} times something was tried again at once: the gateway was busy, the printer jammed (retries)
  {:>6} times an order was put back for later: the gateway was down (redeliveries)
  {:>6} times a card was declined; orders reads of it in billing's error queue (dead letters)
  {:>6} messages came twice and were handled once (inbox)
  {:>6} offers of the express had run out when they were taken (expired)
  {:>6} labels came when nobody waited for them any more (late replies)
  {:>6} reminders were scheduled and cancelled

)",
                             sum.retries, sum.redelivered, sum.dead_letters, sum.duplicates, sum.expired,
                             sum.late_replies, all.sums.reminders_cancelled);
}

} // namespace

int report(const outcome& all, const status_board& board) {
    print_sums(all, board);
    print_troubles(all, board);
    if (all.complaints.empty()) {
        std::cout << "the books balance: each order has one invoice and one shipment, or was refused, once\n";
        return 0;
    }
    std::cout << "the books do not balance:\n";
    for (std::size_t i = 0; i < std::min(most_complaints, all.complaints.size()); ++i) {
        std::cout << "  " << all.complaints[i] << '\n';
    }
    if (all.complaints.size() > most_complaints) {
        std::cout << "  and " << all.complaints.size() - most_complaints << " more\n";
    }
    return 1;
}

} // namespace shop
