#include "timer_scheduler.hpp"

#include <ferry/bus.hpp>
#include <ferry/delay_schedule.hpp>
#include <ferry/exception_summary.hpp>

#include <algorithm>
#include <ranges>

namespace ferry {

void timer_scheduler::keep(std::span<const envelope> messages) {
    std::vector<std::pair<const envelope*, packed_envelope>> packed;
    for (const envelope& each : messages) {
        packed.emplace_back(&each, packed_envelope{each});
    }
    const std::scoped_lock lock{table_->mutex};
    if (table_->stopped) {
        throw not_running{"the bus was stopped before the message could be scheduled"};
    }
    if (table_->entries.size() + messages.size() > most) {
        throw error{"more than " + std::to_string(most) +
                        " messages are scheduled in this process; schedule fewer, or use a store",
                    true};
    }
    for (auto& [message, bytes] : packed) {
        const bool is_event = message->kind == message_kind::publish;
        entry& kept = table_->entries[message->message_id];
        kept = {.message = std::move(bytes), .is_event = is_event};
        table_->wait_until(message->message_id, kept, message->scheduled_at.value_or(table_->now()));
    }
}

bool timer_scheduler::cancel(const schedule_token& token) {
    const std::scoped_lock lock{table_->mutex};
    const auto found = table_->entries.find(token.id);
    if (found == table_->entries.end() || found->second.sending) {
        return false;
    }
    table_->timers.cancel(found->second.timer);
    table_->entries.erase(found);
    return true;
}

scheduler::counts timer_scheduler::count() const {
    const std::scoped_lock lock{table_->mutex};
    const auto dead = static_cast<std::size_t>(
        std::ranges::count_if(table_->entries | std::views::values, [](const entry& each) { return each.dead; }));
    return {.waiting = table_->entries.size() - dead, .dead = dead};
}

std::size_t timer_scheduler::stop() {
    const std::size_t left = count().waiting;
    const std::scoped_lock lock{table_->mutex};
    table_->stopped = true;
    return left;
}

void timer_scheduler::table::wait_until(const uuid& id, entry& waiting, time_point due) {
    waiting.timer = timers.at(due, [self = weak_from_this(), id] {
        if (const auto still_there = self.lock()) {
            still_there->send(id);
        }
    });
}

void timer_scheduler::table::send(const uuid& id) {
    envelope message;
    {
        const std::scoped_lock lock{mutex};
        const auto found = entries.find(id);
        if (stopped || found == entries.end()) {
            return;
        }
        found->second.sending = true;
        found->second.message.unpack(message);
    }
    const std::shared_ptr<observation> observed = watching == nullptr ? nullptr : watching->sending_scheduled(message);
    try {
        carrier.send(message,
                     [self = shared_from_this(), id, observed, kind = message.kind, type = message.message_type,
                      destination = message.destination](const send_outcome& outcome) {
                         if (observed) {
                             observed->answered(outcome);
                             if (const std::exception_ptr failure = failure_of(outcome, kind, type, destination)) {
                                 observed->failed(failure);
                             }
                         }
                         self->ended(id, outcome);
                     });
    } catch (...) {
        if (observed) {
            observed->failed(std::current_exception());
        }
        ended(id, {.status = send_status::failed, .error = std::current_exception()});
    }
}

void timer_scheduler::table::ended(const uuid& id, const send_outcome& outcome) {
    const std::scoped_lock lock{mutex};
    const auto found = entries.find(id);
    if (found == entries.end() || stopped) {
        return;
    }
    const bool unroutable = outcome.status == send_status::unroutable && !found->second.is_event;
    if (outcome.status == send_status::failed || unroutable) {
        failed(id, found->second, unroutable ? "there is no such queue" : summary_of(outcome.error).text);
    } else {
        entries.erase(found);
    }
}

void timer_scheduler::table::failed(const uuid& id, entry& which, const std::string& reason) {
    which.sending = false;
    envelope about;
    which.message.unpack(about);
    const std::string message = "the scheduled message " + id.to_string();
    if (++which.failures == attempts) {
        which.dead = true;
        return log(log_level::error, message + " is given up after " + std::to_string(attempts) + " sends: " + reason,
                   {.message = &about});
    }
    const duration wait = waits.delay(which.failures - 1);
    wait_until(id, which, now() + wait);
    log(log_level::warning, message + " could not be sent and is tried again in " + to_text(wait) + ": " + reason,
        {.message = &about});
}

} // namespace ferry
