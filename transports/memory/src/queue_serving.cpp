#include "queue.hpp"

#include <utility>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace ferry::memory {

namespace {

// After this many rounds without a pause the timer's thread goes on with it, so that a thread that only meant to send
// is not kept by the messages of others.
constexpr int rounds_for_a_guest = 64;

/// The allocator keeps what was freed in the middle of its arenas; a long backlog would stay resident for ever.
void give_memory_back() {
#ifdef __GLIBC__
    ::malloc_trim(0);
#endif
}

void hand(std::vector<delivery>& batch, delivery_sink& sink) noexcept {
    try {
        sink.deliver(batch);
        batch.clear();
    } catch (...) {
        batch.clear(); // whatever went wrong there, what the sink did not take goes back
    }
}

} // namespace

void queue::subscribe(consumer& joining) {
    guard held = lock();
    consumers_.join(joining);
    serve(std::move(held));
}

void queue::unsubscribe(const consumer& leaving) {
    guard held = lock();
    consumers_.leave(&leaving);
    await_quiet(&leaving, held);
}

void queue::pause(consumer& pausing) {
    guard held = lock();
    pausing.paused = true;
    await_quiet(&pausing, held);
}

void queue::resume(consumer& resuming) {
    guard held = lock();
    resuming.paused = false;
    resuming.for_one = false;
    serve(std::move(held));
}

void queue::resume_for_one(consumer& resuming) {
    guard held = lock();
    resuming.paused = false;
    resuming.for_one = true;
    serve(std::move(held));
}

void queue::end_subscriptions_of(const session& stopping, guard& held) {
    const std::vector<const consumer*> leaving = consumers_.all_of(stopping);
    for (const consumer* each : leaving) {
        consumers_.leave(each);
    }
    for (const consumer* each : leaving) {
        await_quiet(each, held);
    }
}

void queue::serve(guard held) noexcept {
    if (std::exchange(serving_, true)) {
        return; // whoever serves looks again before leaving
    }
    for (int round = 0; consumer* next = consumers_.next(backlog_.size()); ++round) {
        if (round == rounds_for_a_guest && hand_over()) {
            return;
        }
        deliver_to(*next, held);
    }
    serving_ = false;
    // The broker is there as long as there are consumers; without them this may be the last verdict on a late delivery.
    if (!consumers_.empty() && backlog_.has_shrunk()) {
        later(give_memory_back);
    }
}

void queue::deliver_to(consumer& taking, guard& held) {
    for (std::size_t left = consumers_.share_of(taking, backlog_.size()); left > 0; --left) {
        taking.hand_out(backlog_.take_first(), batch_);
    }
    taking.paused = std::exchange(taking.for_one, false);
    const waiting_room::sends admitted = admit();
    delivering_to_ = &taking;
    delivering_thread_ = std::this_thread::get_id();
    held.unlock();
    hand(batch_, taking.sink());
    for (const auto& send : admitted) {
        send->place_taken();
    }
    held.lock();
    delivering_to_ = nullptr;
    delivered_.notify_all();
}

bool queue::hand_over() {
    return later([self = shared_from_this()] {
        guard held = self->lock();
        self->serving_ = false;
        self->serve(std::move(held));
    });
}

bool queue::later(timer_queue::action what) noexcept {
    try {
        around_.timer.soon(std::move(what));
        return true;
    } catch (...) { // no memory or no thread; what could have waited is then done here, or not at all
        return false;
    }
}

void queue::await_quiet(const consumer* leaving, guard& held) {
    delivered_.wait(held,
                    [&] { return delivering_to_ != leaving || delivering_thread_ == std::this_thread::get_id(); });
}

} // namespace ferry::memory
