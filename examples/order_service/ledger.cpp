#include "ledger.hpp"

#include <algorithm>

namespace shop {

namespace {

bool ended(const ledger::entry& each) { return each.shipments + each.refusals > 0; }

bool balances(const ledger::entry& each) {
    const bool served =
        each.invoices == 1 && each.shipments == 1 && each.refusals == 0 && each.invoiced_cents == each.ordered_cents;
    const bool refused = each.refusals == 1 && each.invoices == 0 && each.shipments == 0;
    return served || refused;
}

} // namespace

template <typename Change> void ledger::change(const std::string& order_id, Change change) {
    const std::scoped_lock lock{mutex_};
    change(entries_[order_id]);
    news_.notify_all();
}

void ledger::ordered(const std::string& order_id, std::int64_t cents) {
    change(order_id, [=](entry& each) { each.ordered_cents += cents; });
}

void ledger::invoiced(const std::string& order_id, std::int64_t cents) {
    change(order_id, [=](entry& each) {
        ++each.invoices;
        each.invoiced_cents += cents;
    });
}

void ledger::refused(const std::string& order_id) {
    change(order_id, [](entry& each) { ++each.refusals; });
}

void ledger::shipped(const std::string& order_id) {
    change(order_id, [](entry& each) { ++each.shipments; });
}

void ledger::bank_was_busy(const std::string& order_id) {
    change(order_id, [](entry& each) { ++each.busy; });
}

void ledger::bank_was_closed(const std::string& order_id) {
    change(order_id, [](entry& each) { ++each.closed; });
}

ledger::totals ledger::sum() const {
    const std::scoped_lock lock{mutex_};
    totals all{.orders = entries_.size()};
    for (const auto& [id, each] : entries_) {
        all.invoices += static_cast<std::size_t>(each.invoices);
        all.refusals += static_cast<std::size_t>(each.refusals);
        all.shipments += static_cast<std::size_t>(each.shipments);
        all.busy += static_cast<std::size_t>(each.busy);
        all.closed += static_cast<std::size_t>(each.closed);
        all.ordered_cents += each.ordered_cents;
        all.invoiced_cents += each.invoiced_cents;
        all.refused_cents += each.refusals > 0 ? each.ordered_cents : 0;
    }
    return all;
}

void ledger::wait_for_news(std::chrono::milliseconds longest) {
    std::unique_lock lock{mutex_};
    news_.wait_for(lock, longest);
}

bool ledger::complete() const {
    const std::scoped_lock lock{mutex_};
    return std::ranges::all_of(entries_, [](const auto& each) { return ended(each.second); });
}

std::string ledger::first_error() const {
    const std::scoped_lock lock{mutex_};
    const auto wrong = std::ranges::find_if_not(entries_, [](const auto& each) { return balances(each.second); });
    return wrong == entries_.end() ? std::string{} : wrong->first;
}

} // namespace shop
