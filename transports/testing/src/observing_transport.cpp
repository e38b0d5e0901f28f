#include "observing_transport.hpp"

#include <ferry/naming.hpp>

#include <utility>

namespace ferry::testing {

observation observing_transport::kind_of(const envelope& message) const {
    if (message.kind == message_kind::fault) {
        return observation::dead_lettered;
    }
    if (message.destination.name.ends_with(naming{}.skipped_queue(""))) {
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
    default:
        return observation::sent;
    }
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
