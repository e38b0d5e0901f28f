#include "report.hpp"

#include <unistd.h>

#include <format>
#include <iostream>

namespace shop {

using namespace std::chrono_literals;

namespace {

std::string money(std::int64_t cents) { return std::format("{}.{:02}", cents / 100, cents % 100); }

void print(const outcome& all) {
    const ledger::totals& books = all.books;
    std::cout << std::format(R"(
  orders        {}
  invoices      {}
  shipments     {}
  refused       {}
  ordered       {}
  invoiced      {}
  not paid for  {}
  seconds       {:.2f}

On the way
  {} times the bank was busy, and was asked again a moment later: retries
  {} times it was closed, and the order came back later: redeliveries
  {} cards were declined, and somebody must look at the orders: dead letters
  {} price lists came to billing, which does not handle them: skipped

)",
                             books.orders, books.invoices, books.shipments, books.refusals, money(books.ordered_cents),
                             money(books.invoiced_cents), money(books.refused_cents), all.taken.count(),
                             all.bus.retries, all.bus.redelivered, all.bus.dead_lettered, all.bus.skipped);
}

/// Empty when everybody agrees.
std::string first_difference(const outcome& all) {
    const auto differ = [](const std::string& what, std::size_t wanted, std::size_t found) {
        return wanted == found ? "" : std::format("{} should be {} and are {}", what, wanted, found);
    };
    if (!all.wrong_order.empty()) {
        return "look at " + all.wrong_order;
    }
    for (const std::string& each : {differ("retries", all.books.busy, all.bus.retries),
                                    differ("redeliveries", all.books.closed, all.bus.redelivered),
                                    differ("dead letters", all.books.refusals, all.bus.dead_lettered),
                                    differ("skipped messages", all.price_lists, all.bus.skipped)}) {
        if (!each.empty()) {
            return each;
        }
    }
    return {};
}

} // namespace

progress::progress(int orders) : orders_{orders}, terminal_{isatty(STDOUT_FILENO) == 1} {}

void progress::show(const ledger& books) {
    const auto present = std::chrono::steady_clock::now();
    if (present - shown_ < (terminal_ ? 100ms : 2000ms)) {
        return;
    }
    shown_ = present;
    draw(books.sum());
}

void progress::finish(const ledger& books) {
    draw(books.sum());
    std::cout << (terminal_ ? "\n" : "");
}

void progress::draw(const ledger::totals& now) {
    const std::size_t ended = now.shipments + now.refusals;
    const std::size_t width = 30 * ended / static_cast<std::size_t>(orders_);
    std::cout << (terminal_ ? "\r" : "") << '[' << std::string(width, '#') << std::string(30 - width, '.') << "] "
              << now.orders << " orders, " << now.invoices << " invoices, " << now.shipments << " shipments, "
              << now.refusals << " refused" << (terminal_ ? "   " : "\n") << std::flush;
}

int report(const outcome& all) {
    print(all);
    if (const std::string difference = first_difference(all); !difference.empty()) {
        std::cout << "the books do not balance: " << difference << '\n';
        return 1;
    }
    std::cout << "the books balance: every order has one invoice and one shipment, or was refused and is in the error "
                 "queue\n";
    return 0;
}

} // namespace shop
