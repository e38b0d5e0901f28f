#include "engine.hpp"

#include <ferry/packed_envelope.hpp>

#include <utility>

namespace ferry::memory {

namespace {

broker_options checked(const broker_options& options) {
    std::vector<std::string> problems;
    check(options, problems);
    if (!problems.empty()) {
        throw error{problems.front()};
    }
    return options;
}

void wait_for_room(const packed_envelope& message, const std::vector<queue*>& full, send_callback on_outcome,
                   const std::shared_ptr<session>& sender) {
    const auto pending = std::make_shared<pending_send>(sender, std::move(on_outcome), full.size());
    for (queue* each : full) {
        each->take_when_there_is_room(message, pending);
    }
}

} // namespace

void check(const broker_options& options, std::vector<std::string>& problems) {
    if (options.max_queue_bytes == 0) {
        problems.emplace_back("a memory broker needs a max_queue_bytes of at least 1; 0 has room for no message");
    }
    if (options.max_queue_messages == 0) {
        problems.emplace_back("a memory broker needs a max_queue_messages of at least 1; 0 has room for no message");
    }
    if (options.send_timeout <= duration::zero()) {
        problems.emplace_back(
            "a memory broker needs a send_timeout above zero; to fail at once set max_waiting_sends to 0");
    }
}

engine::engine(const broker_options& options, clock now) : options_{checked(options)}, now_{now} {}

void engine::declare(const topology& wanted, const session& owner) {
    directory_.declare(wanted, [&](const queue_definition& each) {
        const surroundings around{options_, now_, timer_, routes_};
        return std::make_shared<queue>(each, each.temporary ? &owner : nullptr, around);
    });
}

void engine::send(const envelope& message, send_callback on_outcome, const std::shared_ptr<session>& sender) {
    const std::shared_ptr<const route> way = routes_->find(message.destination);
    if (!way || way->empty()) {
        return on_outcome({send_status::unroutable, {}});
    }
    if (message.scheduled_at && *message.scheduled_at > now_()) {
        return delay(message, std::move(on_outcome));
    }
    const packed_envelope packed{message};
    std::vector<queue*> full;
    for (const auto& each : *way) {
        if (!each->offer(packed)) {
            full.push_back(each.get());
        }
    }
    if (full.empty()) {
        return on_outcome({});
    }
    wait_for_room(packed, full, std::move(on_outcome), sender);
}

void engine::release(const session& stopping) {
    for (const auto& each : directory_.queues()) {
        each->release(stopping);
    }
    for (const auto& each : directory_.remove_queues_of(stopping)) {
        each->close();
    }
}

std::string engine::leftovers() const {
    std::string text;
    const auto add = [&text](std::size_t count, const std::string& where) {
        if (count > 0) {
            text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + where;
        }
    };
    for (const auto& each : directory_.queues()) {
        add(each->depth(), "in " + each->definition().name);
    }
    add(delayed(), "waiting for their time");
    return text;
}

std::shared_ptr<queue> engine::get(std::string_view name) const {
    if (auto found = find(name)) {
        return found;
    }
    throw error{"there is no queue \"" + std::string{name} + "\" at this memory broker; declare it first"};
}

// Messages that wait for their time are as many as one queue may hold.
void engine::delay(const envelope& message, send_callback on_outcome) {
    packed_envelope packed{message};
    const std::size_t size = packed.bytes().size();
    if (!make_room_for_delayed(size)) {
        return on_outcome({send_status::failed, std::make_exception_ptr(transport_error{
                                                    "too many messages wait for their time; " +
                                                    message.destination.to_string() + " gets no other one now"})});
    }
    timer_.at(*message.scheduled_at, [this, packed = std::move(packed), destination = message.destination] {
        deliver_due(packed, destination);
    });
    on_outcome({});
}

bool engine::make_room_for_delayed(std::size_t size) {
    const std::scoped_lock lock{delayed_mutex_};
    if (delayed_messages_ >= options_.max_queue_messages || delayed_bytes_ + size > options_.max_queue_bytes) {
        return false;
    }
    ++delayed_messages_;
    delayed_bytes_ += size;
    return true;
}

void engine::deliver_due(const packed_envelope& message, const address& destination) {
    {
        const std::scoped_lock lock{delayed_mutex_};
        --delayed_messages_;
        delayed_bytes_ -= message.bytes().size();
    }
    if (const auto way = routes_->find(destination)) {
        for (const auto& each : *way) {
            each->take(message);
        }
    }
}

} // namespace ferry::memory
