#pragma once

#include <cstddef>
#include <exception>
#include <memory>
#include <string_view>

namespace ferry {

class consume_context;
class consumer;
class dispatch_context;
class receive_context;
struct bus_counts;
struct bus_health;
struct envelope;
struct log_line;
struct trace_position;
struct send_outcome;

/// Something that happened to a message between the beginning of a piece of work and its end.
struct occurrence {
    enum class kind_type : unsigned char {
        retried,       ///< its consumer has failed and is called again
        redelivered,   ///< a consumer has failed, and the message was put back for later
        dead_lettered, ///< a consumer has failed for good: the message went to the error queue, or its caller was told
        discarded,     ///< a consumer has failed, and its policy forgets the message
        rejected,      ///< a consumer has failed, and the broker's own dead-lettering takes the message
        duplicate,     ///< its consumer has handled it before, and was not called
    };

    kind_type kind;
    const ferry::consumer* consumer = nullptr; ///< none when no consumer had the message yet
    std::exception_ptr reason = {};            ///< what was thrown, if anything was
};

[[nodiscard]] std::string_view to_string(occurrence::kind_type kind) noexcept;

/// One piece of work an observer follows: made when it begins and destroyed when it ends. No function of it may throw.
class observation {
public:
    observation() = default;
    observation(const observation&) = delete;
    observation& operator=(const observation&) = delete;
    virtual ~observation() = default;

    virtual void happened(const occurrence& /*what*/) noexcept {}
    /// The work ends with this exception; or its caller is told so: of a command, say, that found no queue.
    virtual void failed(const std::exception_ptr& /*thrown*/) noexcept {}
    /// For a dispatch that goes straight to the broker: what that has answered.
    virtual void answered(const send_outcome& /*outcome*/) noexcept {}
    /// For an attempt: the broker was asked to take a message that the handler has collected. On any thread, and with
    /// the failure if there was one. What becomes a row instead has left when the attempt ends well.
    virtual void left(const envelope& /*message*/, const std::exception_ptr& /*failure*/) noexcept {}
    /// For a relay and for the commit of a group: one of the messages that share it.
    virtual void includes(const envelope& /*message*/) noexcept {}
};

/// What an observer may ask of its bus, from any thread.
class observed_bus {
public:
    observed_bus() = default;
    observed_bus(const observed_bus&) = delete;
    observed_bus& operator=(const observed_bus&) = delete;
    virtual ~observed_bus() = default;

    [[nodiscard]] virtual std::string_view service_name() const noexcept = 0;
    /// What carries the messages: "rabbitmq", "memory".
    [[nodiscard]] virtual std::string_view transport_name() const noexcept = 0;
    [[nodiscard]] virtual bus_health health() const = 0;
    [[nodiscard]] virtual bus_counts counts() const = 0;
};

/// Hears of everything a bus does with messages, when it begins and when it ends. For tracing and measuring: an
/// observer changes nothing but headers of messages on their way out, and what its functions throw is logged and
/// forgotten. Each bus has observers of its own.
///
/// Called on the thread that does the work, many at once. An observation of a received or handled message begins and
/// ends on one thread, and its context is there until the end; it may be asked there how the message ended. Any other
/// observation may end on another thread, when the context is about something else already.
class observer {
public:
    observer() = default;
    observer(const observer&) = delete;
    observer& operator=(const observer&) = delete;
    virtual ~observer() = default;

    /// The bus begins its work. It may be asked until `stopped` returns.
    virtual void started(const observed_bus& bus);
    virtual void stopped() noexcept;

    /// A message leaves the application: until the broker has answered, or it is a row, or its handler has it
    /// collected.
    virtual std::unique_ptr<observation> dispatching(dispatch_context& message);
    /// A delivery is at an endpoint: until it is settled.
    virtual std::unique_ptr<observation> receiving(receive_context& message);
    /// A consumer has the message: one attempt, with its transaction.
    virtual std::unique_ptr<observation> handling(consume_context& message);
    /// Messages of this endpoint that were handled together are committed.
    virtual std::unique_ptr<observation> committing(std::string_view endpoint, std::size_t count);
    /// Rows of the outbox go to the broker together: until it has answered for all of them.
    virtual std::unique_ptr<observation> relaying(std::size_t count);
    /// A message that was kept in this process goes to the broker at its time: until that has answered.
    virtual std::unique_ptr<observation> sending_scheduled(const envelope& message);

    /// Where in a trace the calling thread is, for the line it is about to log; empty when the observer does not trace.
    [[nodiscard]] virtual trace_position position() noexcept;
    /// Where in a trace the message was sent, for a line about it from a thread that is in none.
    [[nodiscard]] virtual trace_position origin(const envelope& message) noexcept;
    /// The bus logs a line, beside wherever its log goes.
    virtual void logged(const log_line& line) noexcept;
};

} // namespace ferry
