#include <ferry/delivery_group.hpp>
#include <ferry/middleware/consume/inbox.hpp>
#include <ferry/store.hpp>

namespace ferry::middleware {

std::optional<inbox> inbox::from(const consumer_settings& consumer, const stage_ports& ports) {
    const bool wanted = ports.persistence != nullptr && ports.persistence->options.inbox && consumer.inbox;
    return wanted ? std::optional<inbox>{std::in_place, consumer.identity, ports.now, ports.counters} : std::nullopt;
}

void inbox::operator()(consume_context& message, next<consume_context> next) const {
    if (!message.message_id().is_nil() && !claims(message)) {
        count_duplicate(message);
        message.tell({occurrence::kind_type::duplicate, &message.consumer()});
        return;
    }
    next(message);
}

// A group that fails runs again one by one, and each finds its duplicates then.
void inbox::count_duplicate(consume_context& message) const {
    if (delivery_group* const group = message.delivery().group()) {
        return group->when_committed([counters = counters_] { ++counters->duplicates; });
    }
    ++counters_->duplicates;
}

bool inbox::claims(consume_context& message) const {
    const inbox_claim claim{.message = message.message_id(), .consumer = consumer_};
    if (delivery_group* const group = message.delivery().group()) {
        if (const std::optional<bool> answered = group->take_claim(claim)) {
            return *answered;
        }
    }
    bool fresh = false;
    message.work()->claim({&claim, 1}, now_(), {&fresh, 1});
    return fresh;
}

} // namespace ferry::middleware
