#pragma once

#include <ferry/envelope.hpp>
#include <ferry/error.hpp>
#include <ferry/exception_summary.hpp>
#include <ferry/message.hpp>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace ferry::testing {

/// What can be seen of a message.
enum class observation : unsigned char {
    published,     ///< it left as an event
    sent,          ///< it left for one queue, as a command or a request
    replied,       ///< it left as an answer
    scheduled,     ///< it was put aside for later: a schedule, deliver_at, or a redelivery
    handled,       ///< a handler succeeded, and what it sent has left
    faulted,       ///< an attempt of a handler threw
    dead_lettered, ///< it went to an error queue
    skipped,       ///< it went to a skipped queue
};

[[nodiscard]] std::string_view to_string(observation what) noexcept;

/// One thing that was seen.
struct sighting {
    observation what = observation::published;
    ferry::envelope envelope = {};
    std::string consumer = {};      ///< for `handled` and `faulted`
    exception_summary failure = {}; ///< for `faulted`
};

/// What a test waited for has not happened. Lists what has.
class not_seen : public error {
public:
    using error::error;
};

/// Remembers everything that happens on a bus, for probes to look at. Threads write, tests wait.
class recorder {
public:
    void add(sighting seen);

    [[nodiscard]] std::vector<sighting> find(observation what, const message_type& type) const;
    /// Returns once that has been seen that often. Throws not_seen when it is not within `patience`.
    void await(observation what, const message_type& type, std::size_t count, std::chrono::milliseconds patience) const;

private:
    [[nodiscard]] std::size_t count(observation what, const message_type& type) const;
    [[nodiscard]] std::string summary() const;

    mutable std::mutex mutex_;
    mutable std::condition_variable added_;
    std::vector<sighting> seen_;
};

} // namespace ferry::testing
