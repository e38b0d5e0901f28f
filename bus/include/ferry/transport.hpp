#pragma once

#include <ferry/delivery.hpp>
#include <ferry/description.hpp>
#include <ferry/envelope.hpp>
#include <ferry/error.hpp>
#include <ferry/health.hpp>
#include <ferry/log.hpp>
#include <ferry/time.hpp>
#include <ferry/topology.hpp>

#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace boost::asio {
class io_context;
}

namespace ferry {

/// What became of a message that was handed to a transport. `confirmed`: the broker has it, in every queue it belongs
/// in. `unroutable`: the broker took it and there was no queue for it. `failed`: it may or may not have arrived.
enum class send_status : unsigned char { confirmed, unroutable, failed };

struct send_outcome {
    send_status status = send_status::confirmed;
    std::exception_ptr error; ///< why, when it failed; a ferry::error
    bool never_left = false;  ///< when it failed: it waited here all the time, and the broker has seen nothing of it
};

using send_callback = std::move_only_function<void(send_outcome)>;

/// What the outcome of a send means for whoever sent it: nullptr when all is well, which an event without subscribers
/// is, too; an error that names message and destination when a command has no queue.
[[nodiscard]] std::exception_ptr failure_of(const send_outcome& outcome, message_kind kind, const std::string& message,
                                            const address& destination);

/// A message could not be handed to the broker.
class transport_error : public error {
public:
    explicit transport_error(const std::string& text, bool transient = true) : error{text, transient} {}
};

/// Takes the deliveries of one queue. Called on the transport's threads, or on a thread that sends or settles; takes
/// what it is given by moving from it, and never blocks.
class delivery_sink {
public:
    virtual void deliver(std::span<delivery> deliveries) = 0;

protected:
    ~delivery_sink() = default;
};

struct consume_options {
    std::size_t prefetch = 32; ///< how many deliveries may be out and unsettled at once
    /// How many of them are worked on at once. As long as messages wait, no fewer are out: a transport that fetches in
    /// batches fetches the next before one of these has nothing to do.
    std::size_t slots = 1;
};

/// A queue being consumed. Ends when it is destroyed; after that, and while it is paused, its sink is not called.
class subscription {
public:
    subscription() = default;
    subscription(const subscription&) = delete;
    subscription& operator=(const subscription&) = delete;
    virtual ~subscription() = default;

    /// Its sink gets nothing more. What it was given before stays with it.
    virtual void pause() = 0;
    virtual void resume() = 0;
    /// Hands over one delivery, now or when there is one, and is paused again then. At once, if it was running.
    virtual void resume_for_one() = 0;
    /// False while nothing can come though nobody has paused it: its queue is missing, the broker is away or has ended
    /// it.
    [[nodiscard]] virtual bool is_consuming() const { return true; }
};

/// What a bus lends its transport for as long as it runs.
struct transport_host {
    boost::asio::io_context& io; ///< run by the bus's I/O thread
    clock now;
    log_function log = {}; ///< for what its users should know; may be empty
    /// Requested when the bus is stopped before it has started: whoever waits for the broker in `declare` or `consume`
    /// throws at once.
    std::stop_token give_up = {};
};

/// Carries packed messages between services. Everything a bus asks of a broker is here; a transport that passes the
/// conformance suite in tests/conformance can carry any bus.
///
/// Between `start` and `stop` every function may be called from any thread.
class transport {
public:
    transport(const transport&) = delete;
    transport& operator=(const transport&) = delete;
    virtual ~transport() = default;

    [[nodiscard]] virtual std::string_view name() const noexcept = 0;

    virtual void start(const transport_host& host) = 0;
    /// Ends every subscription that is left, calls every outstanding callback, and lets go of the host.
    virtual void stop() noexcept = 0;

    [[nodiscard]] virtual transport_health health() const = 0;

    /// Appends a sentence for each thing that cannot work, its own options included, as far as that shows without a
    /// broker. The bus asks when it is built.
    virtual void check(const topology& /*wanted*/, std::vector<std::string>& /*problems*/) const {}
    /// What `declare` would make of it at the broker.
    [[nodiscard]] virtual broker_description describe(const topology& wanted) const;

    /// Makes sure all of it exists. Declaring what is there already changes nothing; declaring it differently throws.
    virtual void declare(const topology& wanted) = 0;

    /// Sends to `message.destination`, at `message.scheduled_at` if that lies ahead. The callback comes exactly once,
    /// within `send_timeout`, on the calling thread or another; the message is not used after the call returned. Throws
    /// only when nothing was sent and the callback will not come. What it throws is transient when the same message may
    /// be taken at another time: an outbox counts no attempt then, as for what `never_left`, and offers it again.
    virtual void send(const envelope& message, send_callback on_outcome) = 0;
    /// Every send has its outcome after that long. Before, nobody else sends a row of an outbox that is on its way
    /// here. The same before `start` and after.
    [[nodiscard]] virtual duration send_timeout() const { return std::chrono::seconds{30}; }

    /// Starts to consume a declared queue. The sink must outlive the subscription.
    [[nodiscard]] virtual std::unique_ptr<subscription>
    consume(const std::string& queue, const consume_options& options, delivery_sink& sink) = 0;

protected:
    transport() = default;
    transport(transport&&) = default; // a transport may be handed over by value until it is started
    transport& operator=(transport&&) = default;
};

} // namespace ferry
