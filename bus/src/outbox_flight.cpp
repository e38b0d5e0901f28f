#include "outbox_flight.hpp"

#include "confirmations.hpp"

#include <algorithm>
#include <utility>

namespace ferry {

namespace {

/// What the broker's answer means for the row, with what there is to count. Reads the message again unless all is
/// well, which is nearly always.
std::exception_ptr verdict_on(const send_outcome& outcome, const packed_envelope& content, bus_counters& counters) {
    if (outcome.status != send_status::unroutable) {
        return outcome.error;
    }
    envelope message;
    content.unpack(message);
    if (message.kind == message_kind::reply) {
        ++counters.late_replies; // its caller is gone, and nobody else wants it
        return nullptr;
    }
    const std::exception_ptr failure = failure_of(outcome, message.kind, message.message_type, message.destination);
    if (!failure) {
        ++counters.unrouted_events;
    }
    return failure;
}

// Asked at this moment: when the flight has landed the broker may be back, and what it never saw would count against
// the row.
row_result result_of(std::exception_ptr failure, const transport& carrier, bool never_left = false) {
    const bool away = failure && !carrier.health().can_send();
    return {.failure = std::move(failure), .away = away, .never_left = never_left};
}

/// Whether a transport that took nothing would take it at another time.
bool may_take_it_later(const std::exception_ptr& refusal) {
    try {
        std::rethrow_exception(refusal);
    } catch (const error& each) {
        return each.is_transient();
    } catch (...) {
        return false;
    }
}

} // namespace

void outbox_flight::send(std::size_t index, const packed_envelope& content, outbox_carrier& carrier) {
    ++open_;
    try {
        content.unpack(scratch_);
    } catch (...) {
        return answered(index, {.failure = std::current_exception(), .unreadable = true});
    }
    if (observed_) {
        observed_->includes(scratch_);
    }
    try {
        carrier.declare(scratch_);
    } catch (...) {
        return answered(index, result_of(std::current_exception(), carrier.transport));
    }
    try {
        carrier.transport.send(scratch_, [self = shared_from_this(), index, content, &counters = carrier.counters,
                                          &from = carrier.transport](const send_outcome& outcome) {
            self->answered(index, result_of(verdict_on(outcome, content, counters), from, outcome.never_left));
        });
    } catch (...) {
        const std::exception_ptr refusal = std::current_exception();
        answered(index, result_of(refusal, carrier.transport, may_take_it_later(refusal)));
    }
}

void outbox_flight::all_sent() { one_less(); }

bool outbox_flight::wait_until(std::chrono::steady_clock::time_point at_most) {
    std::unique_lock lock{mutex_};
    return all_answered_.wait_until(lock, at_most, [this] { return has_landed(); });
}

void outbox_flight::answered(std::size_t index, row_result result) {
    row_result& place = results_[index];
    place.failure = std::move(result.failure);
    place.unreadable = result.unreadable;
    place.away = result.away;
    place.never_left = result.never_left;
    std::atomic_ref{place.answered}.store(true, std::memory_order_release);
    one_less();
}

// By its first failure: one is enough to know where to look.
void outbox_flight::end_observation() noexcept {
    if (!observed_) {
        return;
    }
    const auto failed = std::ranges::find_if(results_, [](const row_result& each) { return each.failure != nullptr; });
    if (failed != results_.end()) {
        observed_->failed(failed->failure);
    }
    observed_.reset();
}

void outbox_flight::one_less() {
    if (--open_ > 0) {
        return;
    }
    end_observation();
    {
        const std::scoped_lock lock{mutex_}; // whoever waits has either seen it or is told
        all_answered_.notify_all();
    }
    if (on_landed_) {
        std::exchange(on_landed_, {})();
    }
}

} // namespace ferry
