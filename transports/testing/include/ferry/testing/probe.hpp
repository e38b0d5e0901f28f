#pragma once

#include <ferry/request.hpp>
#include <ferry/testing/recorder.hpp>

#include <chrono>
#include <cstddef>
#include <vector>

namespace ferry::testing {

/// Looks for one kind of thing that happens to one type of message: `harness.published<invoice_created>()`.
template <typename Message> class probe {
public:
    probe(const recorder& seen, observation what) noexcept : seen_{&seen}, what_{what} {}

    /// Returns once it has happened that often. Throws not_seen, with a list of what happened instead.
    const probe& await(std::size_t count = 1, std::chrono::milliseconds patience = std::chrono::seconds{10}) const {
        seen_->await(what_, message_type::of<Message>(), count, patience);
        return *this;
    }
    /// How often it has happened so far. To be sure that it does not happen again, stop the harness first.
    [[nodiscard]] std::size_t count() const { return sightings().size(); }
    /// All that was seen, with envelopes and failures.
    [[nodiscard]] std::vector<sighting> sightings() const { return seen_->find(what_, message_type::of<Message>()); }
    /// The messages that were seen.
    [[nodiscard]] std::vector<Message> messages() const {
        std::vector<Message> found;
        for (const sighting& each : sightings()) {
            decode_body(each.envelope, message_type::of<Message>(), &found.emplace_back());
        }
        return found;
    }
    /// The first of them, once it is there.
    [[nodiscard]] Message first() const { return await().messages().front(); }

private:
    const recorder* seen_;
    observation what_;
};

} // namespace ferry::testing
