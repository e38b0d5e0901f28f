#include "observing_transport.hpp"

#include <algorithm>
#include <utility>

namespace ferry::testing {

observation observing_transport::kind_of(const envelope& message) const {
    if (message.kind == message_kind::fault && goes_to(&endpoint_description::error_queue, message)) {
        return observation::dead_lettered;
    }
    if (goes_to(&endpoint_description::skipped_queue, message)) {
        return observation::skipped;
    }
    if (message.scheduled_at && *message.scheduled_at > now_()) {
        return observation::scheduled;
    }
    switch (message.kind) {
    case message_kind::publish:
        return observation::published;
    case message_kind::reply:
        return observation::replied;
    case message_kind::fault:
        return observation::dead_lettered; // by a stage of the user's own
    default:
        return observation::sent;
    }
}

bool observing_transport::goes_to(std::string endpoint_description::* queue, const envelope& message) const {
    return message.destination.kind == address::kind_type::queue &&
           std::ranges::contains(endpoints_, message.destination.name, queue);
}

void observing_transport::send(const envelope& message, send_callback on_outcome) {
    sighting leaving{.what = kind_of(message), .envelope = message};
    inner_.send(message, [seen = seen_, leaving = std::move(leaving),
                          told = std::move(on_outcome)](const send_outcome& outcome) mutable {
        if (outcome.status != send_status::failed) {
            seen->add(std::move(leaving));
        }
        told(outcome);
    });
}

} // namespace ferry::testing
