#include "outbox_flight.hpp"

#include "confirmations.hpp"

#include <utility>

namespace ferry {

namespace {

/// What the broker's answer means for the row, with what there is to count.
std::exception_ptr verdict_on(const send_outcome& outcome, message_kind kind, const std::string& type,
                              const address& destination, bus_counters& counters) {
    const bool unroutable = outcome.status == send_status::unroutable;
    if (unroutable && kind == message_kind::reply) {
        ++counters.late_replies; // its caller is gone, and nobody else wants it
        return nullptr;
    }
    const std::exception_ptr failure = failure_of(outcome, kind, type, destination);
    if (unroutable && !failure) {
        ++counters.unrouted_events;
    }
    return failure;
}

} // namespace

void outbox_flight::send(std::size_t index, const packed_envelope& content, outbox_carrier& carrier) {
    {
        const std::scoped_lock lock{mutex_};
        ++open_;
    }
    try {
        content.unpack(scratch_);
    } catch (...) {
        return answered(index, std::current_exception(), true);
    }
    try {
        carrier.declare(scratch_);
        carrier.transport.send(scratch_, [self = shared_from_this(), index, kind = scratch_.kind,
                                          type = scratch_.message_type, destination = scratch_.destination,
                                          &counters = carrier.counters](const send_outcome& outcome) {
            self->answered(index, verdict_on(outcome, kind, type, destination, counters));
        });
    } catch (...) {
        answered(index, std::current_exception());
    }
}

void outbox_flight::all_sent() {
    std::unique_lock lock{mutex_};
    if (--open_ == 0) {
        landed(std::move(lock));
    }
}

bool outbox_flight::wait_for(std::chrono::steady_clock::duration longest) {
    std::unique_lock lock{mutex_};
    return all_answered_.wait_for(lock, longest, [this] { return open_ == 0; });
}

void outbox_flight::answered(std::size_t index, std::exception_ptr failure, bool unreadable) {
    std::unique_lock lock{mutex_};
    results_[index] = {.failure = std::move(failure), .unreadable = unreadable, .answered = true};
    if (--open_ == 0) {
        landed(std::move(lock));
    }
}

void outbox_flight::landed(std::unique_lock<std::mutex> lock) {
    all_answered_.notify_all();
    landed_callback told = std::exchange(on_landed_, {});
    lock.unlock();
    if (told) {
        told();
    }
}

} // namespace ferry
