#include "bus_persistence.hpp"

#include <ferry/dispatch_context.hpp>

#include <algorithm>
#include <ranges>
#include <utility>

namespace ferry {

namespace {

bool waits(const envelope& message, time_point now) { return message.scheduled_at && *message.scheduled_at > now; }

bool has_key(const stored_message& row) { return !row.partition_key.empty(); }

/// It is sent right after its commit, and nobody else may take it meanwhile.
bool is_in_hand(const stored_message& row) { return row.due > row.created_at; }

} // namespace

bus_persistence::bus_persistence(std::unique_ptr<ferry::store> store, persistence_options options,
                                 outbox_carrier carrier, clock now, const log_function& log)
    : store_{std::move(store)},
      options_{std::move(options)},
      now_{now},
      log_{log},
      ports_{.store = *store_, .options = options_, .outbox = *this},
      relay_{*store_, std::move(carrier), options_.relay, now, log},
      cleanup_{*store_, options_, now, log} {}

void bus_persistence::start(std::size_t slots) {
    store_->start({.slots = slots, .log = log_, .rows_arrived = [this] { relay_.others_have_committed(); }});
}

void bus_persistence::start_relay() {
    relay_.start();
    cleanup_.start();
}

void bus_persistence::stop_relay() noexcept {
    cleanup_.stop();
    relay_.stop();
}

void bus_persistence::keep(collected_messages& collected, unit_of_work& work) {
    const time_point now = now_();
    if (options_.outbox) { // or what was collected has been sent already
        for (const envelope& each : collected.all()) {
            keep_outgoing(each, now, work);
        }
    }
    for (const envelope& each : collected.scheduled()) {
        work.schedule(stored_message::of(each, now, each.scheduled_at.value_or(now)));
    }
}

void bus_persistence::keep_outgoing(const envelope& message, time_point now, unit_of_work& work) {
    if (waits(message, now)) { // the schedule is made for that, whatever the transport can do
        return work.schedule(stored_message::of(message, now, *message.scheduled_at));
    }
    work.append(stored_message::of(message, now, now));
}

void bus_persistence::commit(unit_of_work& work) {
    if (options_.relay.publish_immediately && relay_.has_room()) {
        take_in_hand(work.outgoing());
    }
    const std::vector<std::int64_t> numbers = work.commit();
    if (const std::span<const stored_message> rows = work.outgoing(); !rows.empty()) {
        if (std::ranges::any_of(rows, is_in_hand)) {
            send_in_hand(rows, numbers);
        }
        if (!std::ranges::all_of(rows, is_in_hand)) {
            relay_.wake(std::ranges::any_of(rows, has_key));
        }
    }
    if (!work.scheduled().empty()) {
        relay_.expect_at(std::ranges::min(work.scheduled() | std::views::transform(&stored_message::due)));
    }
}

// At the commit and not before: the rows of a group may have waited for it longer than their grace is.
void bus_persistence::take_in_hand(std::span<stored_message> rows) {
    const time_point due = later(now_(), outbox_relay::grace);
    for (stored_message& each : rows) {
        if (!has_key(each)) {
            each.due = due;
        }
    }
}

void bus_persistence::send_in_hand(std::span<const stored_message> committed, std::span<const std::int64_t> numbers) {
    std::vector<outbox_row> rows;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const stored_message& each = committed[i];
        if (is_in_hand(each)) {
            rows.push_back({.number = numbers[i], .content = each.content, .created_at = each.created_at});
        }
    }
    relay_.send_now(std::move(rows));
}

void bus_persistence::write(const envelope& message) {
    const auto work = store_->work();
    keep_outgoing(message, now_(), *work);
    commit(*work);
}

void bus_persistence::write_in(const native_transaction& transaction, collected_messages& collected) {
    const time_point now = now_();
    std::vector<stored_message> outgoing;
    std::vector<stored_message> scheduled;
    for (const envelope& each : collected.all()) {
        const bool later = waits(each, now);
        (later ? scheduled : outgoing).push_back(stored_message::of(each, now, later ? *each.scheduled_at : now));
    }
    for (const envelope& each : collected.scheduled()) {
        scheduled.push_back(stored_message::of(each, now, each.scheduled_at.value_or(now)));
    }
    store_->append_in(transaction, outgoing, scheduled);
    relay_.expect_rows(std::ranges::any_of(outgoing, has_key), !scheduled.empty());
    for (const stored_message& each : scheduled) {
        relay_.expect_at(each.due);
    }
}

void bus_persistence::keep(std::span<const envelope> messages) {
    const time_point now = now_();
    const auto work = store_->work();
    for (const envelope& each : messages) {
        work->schedule(stored_message::of(each, now, each.scheduled_at.value_or(now)));
    }
    commit(*work);
}

// On the schedule it has an id of its own, which no token names.
void bus_persistence::keep_again(const envelope& message) {
    const time_point now = now_();
    const auto work = store_->work();
    stored_message row = stored_message::of(message, now, message.scheduled_at.value_or(now));
    row.id = ids_.next(now);
    work->schedule(std::move(row));
    commit(*work);
}

bool bus_persistence::cancel(const schedule_token& token) { return store_->cancel(token.id); }

scheduler::counts bus_persistence::count() const { return {.waiting = relay_.counts().scheduled, .dead = 0}; }

} // namespace ferry
