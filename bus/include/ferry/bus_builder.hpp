#pragma once

#include <ferry/bus.hpp>
#include <ferry/pipeline_defaults.hpp>
#include <ferry/registration.hpp>
#include <ferry/scope.hpp>

#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ferry {

/// A bus that cannot work as it was described. Lists everything that is wrong, each with what to do about it.
class build_error : public error {
public:
    explicit build_error(std::vector<std::string> problems);

    [[nodiscard]] const std::vector<std::string>& problems() const noexcept { return problems_; }

private:
    std::vector<std::string> problems_;
};

/// Settings of one handler.
class consumer_builder : public consumer_scope<consumer_builder, consume_context> {
public:
    /// The handler's name in queues, logs and traces, instead of the one of its class or message.
    consumer_builder& name(std::string name);
    /// The queue it takes its messages from, instead of the one its name leads to.
    consumer_builder& queue(std::string name);

    void apply_to(consumer_registration& consumer) &&;

private:
    std::string name_;
    std::string queue_;
};

using configure_consumer = std::function<void(consumer_builder&)>;

/// What a bus and an endpoint have in common: they take handlers.
template <typename Derived> class handler_scope {
public:
    /// Handles a published message: every service that handles it gets a copy.
    template <typename Message, typename Handler>
    Derived& handle(Handler handler, const configure_consumer& configure = {}) {
        if constexpr (handler_of<Handler, Message>) {
            static_assert(
                std::is_void_v<reply_of<Handler, Message>>,
                "ferry: this handler returns a reply, so it answers requests: register it with serve<Message>().");
        }
        return add(detail::registered<Message>(consumer_role::subscriber, std::move(handler)), configure);
    }
    /// Handles a message that is sent or requested: the one handler of it, behind the one queue all senders know.
    template <typename Message, typename Handler>
    Derived& serve(Handler handler, const configure_consumer& configure = {}) {
        return add(detail::registered<Message>(consumer_role::server, std::move(handler)), configure);
    }

protected:
    std::vector<consumer_registration> consumers_;

private:
    Derived& add(consumer_registration consumer, const configure_consumer& configure) {
        consumer_builder builder;
        if (configure) {
            configure(builder);
        }
        std::move(builder).apply_to(consumer);
        consumers_.push_back(std::move(consumer));
        return static_cast<Derived&>(*this);
    }
};

/// Settings of one endpoint, and the handlers that share its queue and its slots.
class endpoint_builder : public endpoint_scope<endpoint_builder, receive_context, consume_context>,
                         public handler_scope<endpoint_builder> {
public:
    explicit endpoint_builder(std::string name) : name_{std::move(name)} {}

    /// Where messages go that cannot be handled, instead of `{endpoint}_error`.
    endpoint_builder& error_queue(std::string name);
    /// Moves no messages to an error queue: what cannot be handled is rejected, which leaves it to the dead-lettering
    /// that was set up at the broker, or puts it back where there is none.
    endpoint_builder& no_error_queue();
    /// Where messages go that nobody here handles, instead of `{endpoint}_skipped`.
    endpoint_builder& skipped_queue(std::string name);

    [[nodiscard]] endpoint_registration registration() &&;

private:
    std::string name_;
    std::string error_queue_;
    bool has_error_queue_ = true;
    std::string skipped_queue_;
};

/// Settings of everything that goes over the transport.
class transport_builder : public endpoint_scope<transport_builder, receive_context, consume_context, dispatch_context> {
public:
    void apply_to(bus_registration& bus) &&;
};

/// Describes a bus; `build` checks the description as a whole and makes the bus.
class bus_builder : public endpoint_scope<bus_builder, receive_context, consume_context, dispatch_context>,
                    public handler_scope<bus_builder> {
public:
    /// `service` is the name under which the instances of this program share their queues.
    explicit bus_builder(std::string service, const pipeline_defaults& defaults = standard_pipeline());
    bus_builder(const bus_builder&) = delete;
    bus_builder& operator=(const bus_builder&) = delete;
    ~bus_builder();

    [[nodiscard]] const std::string& service() const noexcept { return registration_.service; }

    /// Puts several handlers behind one queue with one set of slots, or sets up the endpoint of that name.
    bus_builder& endpoint(std::string name, const std::function<void(endpoint_builder&)>& configure);

    /// What carries the messages, and what is set for everything that goes over it. Another transport takes the place
    /// of the first and leaves the settings as they are, unless it comes with its own.
    template <std::derived_from<ferry::transport> Transport>
    bus_builder& transport(Transport carrier, const std::function<void(transport_builder&)>& configure = {}) {
        return transport(std::unique_ptr<ferry::transport>{std::make_unique<Transport>(std::move(carrier))}, configure);
    }
    bus_builder& transport(std::unique_ptr<ferry::transport> carrier,
                           const std::function<void(transport_builder&)>& configure = {});

    /// The database handlers work in, and what the bus uses it for: transactions around handlers, an inbox that drops
    /// duplicates, an outbox that lets messages leave with the commit, and schedules that outlive the process.
    template <std::derived_from<ferry::store> Store>
    bus_builder& persistence(Store database, persistence_options options = {}) {
        return persistence(std::unique_ptr<ferry::store>{std::make_unique<Store>(std::move(database))},
                           std::move(options));
    }
    bus_builder& persistence(std::unique_ptr<ferry::store> database, persistence_options options = {});

    /// Where `send` and `request` take a message, instead of the queue its type leads to.
    template <typename Message> bus_builder& route(address destination) {
        return route(message_type::of<Message>(), std::move(destination));
    }
    /// Where `send` and `request` take a message that has no destination otherwise: no route, none of its own, and no
    /// queue by the naming convention.
    bus_builder& default_route(address destination);
    /// What exchanges that route by a key look at, for a message that goes to one: a member of it,
    /// `&order_placed::region`, or a function that takes it; a text, a whole number or an enumerator. Transports
    /// without such exchanges carry the key and look at nothing.
    template <typename Message, typename Source> bus_builder& routing_key(Source source) {
        return routing_key(message_type::of<Message>(), routing_key_from<Message>(std::move(source)));
    }
    /// Says what this service publishes. Its exchange is then there from the start on, not from the first message on,
    /// and shows wherever the bus tells what it needs at the broker.
    template <typename... Messages> bus_builder& publishes() {
        (publishes(message_type::of<Messages>()), ...);
        return *this;
    }

    bus_builder& naming(std::shared_ptr<const ferry::naming> convention);
    /// Where the bus takes its time from; it must outlive the bus. The system's clock if nothing is said.
    bus_builder& clock(time_source& source);
    /// Where log lines go; nowhere, if the function is empty. To spdlog (`log_to_spdlog()`) if nothing is said.
    bus_builder& log(log_function write);
    /// Puts the stack of a failure into the header `fault-stack-trace`. The source must outlive the bus.
    bus_builder& stack_traces(stack_trace_source& source);
    /// Tells somebody of everything the bus does with messages; may be said several times.
    bus_builder& observe(std::shared_ptr<observer> watching);
    /// How many requests may wait for their reply at once; the next one fails with too_many_requests. 100,000 if
    /// nothing is said.
    bus_builder& max_pending_requests(std::size_t most);
    /// How long `stop` waits for handlers that are running.
    bus_builder& stop_timeout(duration longest);

    /// Makes the bus; once. Throws build_error, which names everything that is wrong at once.
    [[nodiscard]] bus build();

private:
    bus_builder& route(const message_type& message, address destination);
    bus_builder& routing_key(const message_type& message, routing_key_rule rule);
    void publishes(const message_type& message);

    const pipeline_defaults& defaults_;
    bus_registration registration_;
    bool built_ = false;
};

} // namespace ferry
