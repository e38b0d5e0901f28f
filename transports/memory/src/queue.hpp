#pragma once

#include "backlog.hpp"
#include "consumer_rota.hpp"
#include "waiting_room.hpp"

#include <ferry/detail/brief_lock.hpp>
#include <ferry/memory/broker.hpp>
#include <ferry/timer_queue.hpp>
#include <ferry/topology.hpp>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace ferry::memory {

class routes;

/// What a queue uses of its broker. The timer is there as long as a transport runs; the queue itself may live longer,
/// for deliveries that are settled late.
struct surroundings {
    broker_options options;
    clock now;
    timer_queue& timer;
    std::weak_ptr<const routes> others;
};

/// One queue. Messages go in from any thread; one thread at a time serves the consumers, namely the one that found
/// something to do, and whoever comes meanwhile leaves the work to it. So a consumer gets its messages in order, a sink
/// may send and settle as it likes, and no lock is held while a sink or a callback runs.
class queue : public std::enable_shared_from_this<queue> {
public:
    queue(queue_definition definition, const session* owner, surroundings around);

    /// Takes the message, unless there is no room or others wait for room already.
    [[nodiscard]] bool offer(const packed_envelope& message);
    /// Takes the message once there is room and then tells `send`; or tells it why that did not happen.
    void take_when_there_is_room(const packed_envelope& message, std::shared_ptr<pending_send> send);
    /// Takes a message the broker has confirmed already, whether there is room or not.
    void take(const packed_envelope& message);

    /// Puts a delivery back to its place; the caller has the consumers served.
    void put_back(queued_message message);
    void reject(queued_message message);
    /// Hands out what waits to consumers with enough credit.
    void serve() noexcept { serve(lock()); }

    void subscribe(consumer& joining);
    /// Once these return the consumer's sink is not running, unless it is what called them.
    void unsubscribe(const consumer& leaving);
    void pause(consumer& pausing);
    void resume(consumer& resuming);
    void resume_for_one(consumer& resuming);

    /// Ends what belongs to a transport that stops.
    void release(const session& stopping);
    /// Ends the queue: what it holds is gone, what it is given from now on too.
    void close();

    [[nodiscard]] const queue_definition& definition() const noexcept { return definition_; }
    [[nodiscard]] bool goes_with(const session& owner) const noexcept { return owner_ == &owner; }
    [[nodiscard]] std::size_t depth() const;
    [[nodiscard]] std::vector<packed_envelope> messages() const;
    std::size_t purge();

private:
    using guard = std::unique_lock<std::mutex>;

    [[nodiscard]] guard lock() const { return detail::lock_briefly(mutex_); }
    [[nodiscard]] bool accepts(const packed_envelope& message) const noexcept;
    [[nodiscard]] bool has_room_for(const packed_envelope& message) const noexcept;
    void append(const packed_envelope& message, guard held);
    /// Takes those who wait as far as there is room now; the caller tells them when it has let go of the lock.
    [[nodiscard]] waiting_room::sends admit();
    void watch(time_point deadline);
    void fail_late_sends();
    [[nodiscard]] std::exception_ptr full() const;

    void serve(guard held) noexcept;
    void deliver_to(consumer& taking, guard& held);
    [[nodiscard]] bool hand_over();
    bool later(timer_queue::action what) noexcept;
    void await_quiet(const consumer* leaving, guard& held);
    void end_subscriptions_of(const session& stopping, guard& held);

    const queue_definition definition_;
    const session* const owner_; // of a temporary queue
    const surroundings around_;

    mutable std::mutex mutex_;
    backlog backlog_;
    waiting_room waiting_;
    consumer_rota consumers_;
    bool deadline_watched_ = false;
    bool closed_ = false;

    bool serving_ = false;
    std::vector<delivery> batch_; // belongs to the thread that serves, locked or not
    const consumer* delivering_to_ = nullptr;
    std::thread::id delivering_thread_;
    std::condition_variable delivered_;
};

} // namespace ferry::memory
