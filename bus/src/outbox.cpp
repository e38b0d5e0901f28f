#include "bus_core.hpp"

#include <ferry/outbox.hpp>

namespace ferry {

namespace {

bus_persistence& persistence_of(bus_core& core) {
    if (core.persistence() == nullptr) {
        throw error{"the bus has no outbox; give it a store with builder.persistence(...)"};
    }
    return *core.persistence();
}

} // namespace

void outbox::write(const native_transaction& where, message_kind kind, message_ref message,
                   const dispatch_options& options) {
    bus_persistence& persistence = persistence_of(*core_);
    const auto inside = core_->dispatcher().to_the_store();
    collected_messages collected;
    dispatch_context context;
    context.collector = &collected;
    context.for_callers_transaction = true;
    core_->dispatcher().dispatch_and_wait({.kind = kind, .message = message, .options = options}, context);
    persistence.write_in(where, collected);
}

schedule_token outbox::schedule(const native_transaction& where, message_kind kind, message_ref message, time_point at,
                                const dispatch_options& options) {
    bus_persistence& persistence = persistence_of(*core_);
    const auto inside = core_->dispatcher().to_the_store();
    const schedule_token token = core_->dispatcher().next_token();
    collected_messages collected;
    dispatch_context context;
    context.collector = &collected;
    context.for_callers_transaction = true;
    core_->dispatcher().dispatch_and_wait(
        {.kind = kind, .message = message, .options = options, .token = &token, .at = at}, context);
    persistence.write_in(where, collected);
    return token;
}

bool outbox::cancel_in(const native_transaction& where, const schedule_token& token) {
    bus_persistence& persistence = persistence_of(*core_);
    const auto inside = core_->dispatcher().to_the_store();
    return persistence.database().cancel_in(where, token.id);
}

void outbox::wake() { persistence_of(*core_).relay().expected_rows_came(); }

store_counts outbox::counts() {
    bus_persistence& persistence = persistence_of(*core_);
    const auto inside = core_->dispatcher().to_the_store();
    return persistence.database().count();
}

std::vector<dead_message> outbox::dead(const dead_filter& which) {
    bus_persistence& persistence = persistence_of(*core_);
    const auto inside = core_->dispatcher().to_the_store();
    return persistence.database().dead(which);
}

std::size_t outbox::replay(const dead_filter& which) {
    bus_persistence& persistence = persistence_of(*core_);
    const auto inside = core_->dispatcher().to_the_store();
    const std::size_t count = persistence.database().replay(which, core_->now()());
    persistence.relay().wake(true);
    return count;
}

} // namespace ferry
