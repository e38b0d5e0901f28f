#include "queue.hpp"

#include "routes.hpp"

#include <utility>

namespace ferry::memory {

namespace {

void all_taken(const waiting_room::sends& sends) {
    for (const auto& each : sends) {
        each->place_taken();
    }
}

void all_failed(const waiting_room::sends& sends, const std::exception_ptr& error) {
    for (const auto& each : sends) {
        each->place_failed(error);
    }
}

} // namespace

queue::queue(queue_definition definition, const session* owner, surroundings around)
    : definition_{std::move(definition)}, owner_{owner}, around_{std::move(around)} {}

bool queue::offer(const packed_envelope& message) {
    guard held = lock();
    if (!accepts(message)) {
        return false;
    }
    append(message, std::move(held));
    return true;
}

void queue::take_when_there_is_room(const packed_envelope& message, std::shared_ptr<pending_send> send) {
    guard held = lock();
    if (accepts(message)) {
        append(message, std::move(held));
        return send->place_taken();
    }
    if (waiting_.size() >= around_.options.max_waiting_sends) {
        held.unlock();
        return send->place_failed(full());
    }
    const time_point deadline = ferry::later(around_.now(), around_.options.send_timeout);
    waiting_.enter({message, std::move(send), deadline});
    if (!std::exchange(deadline_watched_, true)) {
        held.unlock();
        watch(deadline);
    }
}

void queue::take(const packed_envelope& message) { append(message, lock()); }

void queue::put_back(queued_message message) {
    const guard held = lock();
    if (!closed_) {
        backlog_.put_back(std::move(message));
    }
}

void queue::reject(queued_message message) {
    const auto others = around_.others.lock();
    const auto dead_letters = others ? others->find_queue(definition_.dead_letters) : nullptr;
    // Dead letters must not grow for ever either: where they have no room, the message stays here.
    if (!dead_letters || !dead_letters->offer(message.content)) {
        put_back(std::move(message));
    }
}

void queue::release(const session& stopping) {
    guard held = lock();
    end_subscriptions_of(stopping, held);
    const waiting_room::sends abandoned = waiting_.take_all_of(stopping);
    const waiting_room::sends admitted = admit(); // who stood behind a larger message may fit
    held.unlock();
    all_failed(abandoned,
               std::make_exception_ptr(transport_error{
                   "the transport stopped while a message waited for room in the queue \"" + definition_.name + "\""}));
    all_taken(admitted);
}

void queue::close() {
    guard held = lock();
    closed_ = true;
    backlog_.clear();
    const waiting_room::sends abandoned = waiting_.take_all();
    held.unlock();
    all_failed(abandoned, std::make_exception_ptr(
                              transport_error{"the queue \"" + definition_.name + "\" went away with its owner"}));
}

std::size_t queue::depth() const {
    const guard held = lock();
    return backlog_.size();
}

std::vector<packed_envelope> queue::messages() const {
    const guard held = lock();
    std::vector<packed_envelope> found;
    for (const queued_message& each : backlog_) {
        found.push_back(each.content);
    }
    return found;
}

std::size_t queue::purge() {
    guard held = lock();
    const std::size_t count = backlog_.size();
    backlog_.clear();
    const waiting_room::sends admitted = admit();
    serve(std::move(held));
    all_taken(admitted);
    return count;
}

bool queue::accepts(const packed_envelope& message) const noexcept {
    return closed_ || (waiting_.empty() && has_room_for(message));
}

bool queue::has_room_for(const packed_envelope& message) const noexcept {
    if (backlog_.empty()) {
        return true; // a message above the limit gets through alone, rather than never
    }
    return backlog_.size() < around_.options.max_queue_messages &&
           backlog_.bytes() + message.bytes().size() <= around_.options.max_queue_bytes;
}

void queue::append(const packed_envelope& message, guard held) {
    if (closed_) {
        return;
    }
    const bool was_idle = backlog_.empty();
    backlog_.append(message);
    if (was_idle) { // otherwise the consumers are busy, and ask for more when they are ready
        serve(std::move(held));
    }
}

waiting_room::sends queue::admit() {
    waiting_room::sends admitted;
    while (!waiting_.empty() && has_room_for(waiting_.first().message)) {
        waiting_room::guest first = waiting_.take_first();
        backlog_.append(std::move(first.message));
        admitted.push_back(std::move(first.send));
    }
    return admitted;
}

void queue::watch(time_point deadline) {
    around_.timer.at(deadline, [watched = weak_from_this()] {
        if (const auto self = watched.lock()) {
            self->fail_late_sends();
        }
    });
}

void queue::fail_late_sends() {
    guard held = lock();
    const waiting_room::sends late = waiting_.take_late(around_.now());
    const waiting_room::sends admitted = admit(); // who stood behind a larger message may fit
    deadline_watched_ = !waiting_.empty();
    if (deadline_watched_) {
        watch(waiting_.first().deadline);
    }
    held.unlock();
    all_failed(late, full());
    all_taken(admitted);
}

std::exception_ptr queue::full() const {
    return std::make_exception_ptr(transport_error{
        "the queue \"" + definition_.name +
        "\" is full and makes no room: consume it faster, or raise max_queue_messages or max_queue_bytes"});
}

} // namespace ferry::memory
