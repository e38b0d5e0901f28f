#pragma once

#include "billing_messages.hpp"

#include <ferry/envelope.hpp>
#include <ferry/message.hpp>
#include <ferry/store.hpp>

#include <string>

namespace ferry::scenarios {

/// Commits events to an outbox that nobody told a relay of, each for the queue of the audit.
inline void write_rows(store& into, int count) {
    id_source ids{7};
    const time_point now = clock{}();
    envelope event;
    event.message_type = message_type::of<invoice_created>().urn;
    event.destination = address::queue("audit.invoice-created");
    constexpr int at_once = 1000;
    for (int written = 0; written < count; written += at_once) {
        const auto work = into.work();
        for (int i = written; i < written + at_once; ++i) {
            event.message_id = ids.next(now);
            event.body.assign(R"({"order_id":")" + std::to_string(i) + R"("})");
            work->append(stored_message::of(event, now, now));
        }
        work->commit();
    }
}

} // namespace ferry::scenarios
