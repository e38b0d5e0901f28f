#pragma once

#include <ferry/envelope.hpp>
#include <ferry/time.hpp>

#include <chrono>
#include <cstddef>
#include <limits>
#include <memory>
#include <string_view>
#include <vector>

namespace ferry::memory {

class engine;

struct broker_options {
    std::size_t max_queue_bytes = std::size_t{1} << 30; ///< of packed messages waiting in one queue
    std::size_t max_queue_messages = std::numeric_limits<std::size_t>::max();
    duration send_timeout = std::chrono::seconds{30}; ///< how long a send waits for room in a full queue
    std::size_t max_waiting_sends = 1000;             ///< how many may wait for one queue; the next one fails at once
};

/// A broker inside the process: queues, exchanges that copy to everything bound to them, and messages that wait for
/// their time. Any number of transports may share one; that is how two services talk in one test.
///
/// A queue holds packed messages and nothing else: beyond its packed bytes a waiting message costs at most 64 bytes,
/// and a drained broker keeps at most 16 MiB of what its backlog took. A queue goes beyond its limits only by messages
/// it had confirmed before: given back, or due.
class broker {
public:
    /// Throws ferry::error when an option makes no sense. What `now` reads must outlive the broker.
    explicit broker(const broker_options& options = {}, clock now = {});
    ~broker();
    broker(const broker&) = delete;
    broker& operator=(const broker&) = delete;

    [[nodiscard]] bool has_queue(std::string_view queue) const;
    /// How many messages wait in the queue; those that are out with a consumer do not. Throws when there is none such.
    [[nodiscard]] std::size_t depth(std::string_view queue) const;
    /// Copies of the messages that wait in the queue, the next one first.
    [[nodiscard]] std::vector<envelope> messages(std::string_view queue) const;
    /// Throws away the messages that wait in the queue and says how many there were.
    std::size_t purge(std::string_view queue);
    /// How many messages wait for their time.
    [[nodiscard]] std::size_t delayed() const;

private:
    friend class transport;

    std::unique_ptr<engine> engine_;
};

} // namespace ferry::memory
