// Uses the installed headers and libraries, end to end.

#include <ferry/amqp/definitions.hpp>
#include <ferry/amqp/transport.hpp>
#include <ferry/ferry.hpp>
#include <ferry/memory/transport.hpp>
#include <ferry/otlp/session.hpp>
#include <ferry/postgres/store.hpp>
#include <ferry/postgres/transaction.hpp>
#include <ferry/prometheus/exporter.hpp>
#include <ferry/sqlite/store.hpp>
#include <ferry/stack_traces.hpp>
#include <ferry/telemetry/telemetry.hpp>
#include <ferry/testing/harness.hpp>

#include <exception>
#include <stdexcept>
#include <string>

struct ping {
    int number = 0;
};
struct pong {
    int number = 0;
};

bool database_answers() {
    ferry::sqlite::store store{":memory:"};
    store.start({});
    return store.count().pending == 0;
}

bool server_is_out_of_reach() {
    ferry::postgres::store store{"postgresql://127.0.0.1:1/shop"};
    try {
        store.start({});
    } catch (const ferry::postgres::sql_error& problem) {
        return problem.is_transient();
    }
    return false;
}

bool broker_would_have_its_queue() {
    ferry::bus_builder builder{"consumer"};
    builder.transport(ferry::amqp::transport{"amqp://127.0.0.1:1"});
    builder.serve<ping>([](const ping&) {});
    const ferry::bus bus = builder.build();
    return ferry::amqp::definitions(bus).contains("\"ping\"");
}

bool handlers_can_be_tested() {
    ferry::testing::harness harness{[](ferry::bus_builder& builder) {
        builder.handle<ping>(
            [](const ping& message, ferry::consume_context& context) { context.publish(pong{message.number + 1}); });
    }};
    harness.bus().publish(ping{41});
    return harness.published<pong>().first().number == 42;
}

bool throws_leave_a_stack() {
    ferry::stack_trace_source& traces = ferry::captured_stack_traces();
    traces.watch_this_thread(true);
    try {
        throw std::runtime_error{"look where I come from"};
    } catch (...) {
        return !traces.trace_of(std::current_exception()).empty();
    }
}

int main() {
    ferry::bus_builder builder{"consumer"};
    builder.transport(ferry::memory::transport{});
    builder.observe(ferry::telemetry::tracing());
    const ferry::prometheus::exporter metrics{builder};
    builder.serve<ping>([](const ping& message) { return pong{message.number + 1}; });
    ferry::bus bus = builder.build();
    bus.start();
    return bus.request<pong>(ping{41}).number == 42 && metrics.text().contains("ferry_transport_connected") &&
                   database_answers() && server_is_out_of_reach() && broker_would_have_its_queue() &&
                   handlers_can_be_tested() && throws_leave_a_stack()
               ? 0
               : 1;
}
