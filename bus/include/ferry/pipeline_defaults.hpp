#pragma once

#include <ferry/consume_context.hpp>
#include <ferry/counters.hpp>
#include <ferry/dispatch_context.hpp>
#include <ferry/endpoint_control.hpp>
#include <ferry/log.hpp>
#include <ferry/observer.hpp>
#include <ferry/persistence.hpp>
#include <ferry/pipeline_plan.hpp>
#include <ferry/receive_context.hpp>
#include <ferry/scheduler.hpp>
#include <ferry/settings.hpp>
#include <ferry/stack_trace_source.hpp>
#include <ferry/time.hpp>
#include <ferry/timer_queue.hpp>
#include <ferry/transport.hpp>

namespace ferry {

/// Takes replies that have come in. False when nobody waits for one any more.
class reply_sink {
public:
    virtual bool complete(const envelope& reply) = 0;

protected:
    ~reply_sink() = default;
};

/// The way of messages into the outbox.
class outbox_writer {
public:
    /// Adds what a handler has collected to the rows of its transaction, as far as it does not go to the broker by
    /// itself. Throws when a message may not be written.
    virtual void keep(collected_messages& collected, unit_of_work& work) = 0;
    /// Commits, and wakes the relay.
    virtual void commit(unit_of_work& work) = 0;
    /// Writes one message in a transaction of its own.
    virtual void write(const envelope& message) = 0;

protected:
    ~outbox_writer() = default;
};

/// What stages use of the bus's store.
struct persistence_ports {
    ferry::store& store;
    const persistence_options& options;
    outbox_writer& outbox;
};

/// What the bus offers the stages of its pipelines. All of it outlives them.
struct stage_ports {
    clock now;
    ferry::transport& transport;
    dispatcher& bus;
    reply_sink& replies;
    bus_counters& counters;
    const log_function& log;
    timer_queue& timers;
    ferry::scheduler& scheduler;
    stack_trace_source* traces = nullptr;           ///< none unless the user gave one
    const persistence_ports* persistence = nullptr; ///< none unless the bus has a store
    ferry::observer* observer = nullptr;            ///< none unless somebody observes the bus
};

/// Fills fresh pipelines with the stages a bus has before its user places any. The seam between the bus, which runs
/// pipelines, and the middleware, which is what they consist of.
class pipeline_defaults {
public:
    virtual void receive(pipeline_plan<receive_context>& plan, const endpoint_settings& endpoint,
                         endpoint_control& control, const stage_ports& ports) const = 0;
    /// The receive pipeline of the endpoint that replies come to.
    virtual void replies(pipeline_plan<receive_context>& plan, const stage_ports& ports) const = 0;
    virtual void consume(pipeline_plan<consume_context>& plan, const consumer_settings& consumer,
                         const stage_ports& ports) const = 0;
    virtual void dispatch(pipeline_plan<dispatch_context>& plan, const stage_ports& ports) const = 0;

    /// Appends a sentence for each promise that the order of a consumer's stages would break.
    virtual void check(const std::vector<std::string>& consume_keys, std::vector<std::string>& problems) const = 0;

protected:
    ~pipeline_defaults() = default;
};

/// The stages of docs/pipeline.md. Defined by ferry::middleware: a program that builds a bus links it, too.
[[nodiscard]] const pipeline_defaults& standard_pipeline() noexcept;

} // namespace ferry
