// What telemetry costs a message: nothing of it in the pipelines, switched off, observed with nothing set up, and with
// every span and every measurement sent to a collector over HTTP.

#include "one_endpoint.hpp"

#include <ferry/health.hpp>
#include <ferry/memory/transport.hpp>
#include <ferry/middleware/consume/handler.hpp>
#include <ferry/middleware/consume/handler_deadline.hpp>
#include <ferry/middleware/consume/retry.hpp>
#include <ferry/middleware/consume/send_collected.hpp>
#include <ferry/middleware/receive/circuit_breaker.hpp>
#include <ferry/middleware/receive/dead_letter.hpp>
#include <ferry/middleware/receive/expiry.hpp>
#include <ferry/middleware/receive/fault.hpp>
#include <ferry/middleware/receive/redelivery.hpp>
#include <ferry/middleware/receive/routing.hpp>
#include <ferry/middleware/receive/transport_circuit_breaker.hpp>
#include <ferry/middleware/receive/type_selection.hpp>
#include <ferry/otlp/session.hpp>
#include <ferry/telemetry/telemetry.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>

#include <atomic>
#include <cstdlib>
#include <limits>
#include <thread>

namespace {

using namespace ferry::benchmarks;
using boost::asio::ip::tcp;
using ferry::consume_context;
using ferry::receive_context;

/// A collector that takes everything and looks at nothing, as long as the program runs.
class sink {
public:
    static void listen() {
        static const sink& only =
            *new sink; // its connections are those of exporters, some of which end with the program
        setenv("OTEL_EXPORTER_OTLP_ENDPOINT", only.url_.c_str(), 1); // NOLINT(concurrency-mt-unsafe)
    }

private:
    sink() {
        std::thread{[this] { accept(); }}.detach();
    }
    void accept() {
        while (true) {
            std::thread{[](tcp::socket client) { answer(client); }, acceptor_.accept()}.detach();
        }
    }
    static void answer(tcp::socket& client) {
        namespace http = boost::beast::http;
        boost::beast::flat_buffer bytes;
        boost::system::error_code failure;
        while (!failure) {
            http::request_parser<http::string_body> asked;
            asked.body_limit(std::numeric_limits<std::uint64_t>::max());
            http::read(client, bytes, asked, failure);
            http::response<http::empty_body> taken{http::status::ok, 11};
            taken.set(http::field::content_type, "application/x-protobuf");
            taken.prepare_payload();
            if (!failure) {
                http::write(client, taken, failure);
            }
        }
    }

    boost::asio::io_context io_;
    tcp::acceptor acceptor_{io_, {boost::asio::ip::address_v4::loopback(), 0}};
    std::string url_ = "http://127.0.0.1:" + std::to_string(acceptor_.local_endpoint().port());
};

/// The stages of a bus without a store, and no instrumentation among them: what there was before telemetry.
class uninstrumented final : public ferry::pipeline_defaults {
public:
    void receive(ferry::pipeline_plan<receive_context>& plan, const ferry::endpoint_settings& endpoint,
                 ferry::endpoint_control& control, const ferry::stage_ports& ports) const override {
        namespace middleware = ferry::middleware;
        const middleware::endpoint_breaker::ports breakers{control, ports.now, ports.counters, ports.log};
        plan.use(middleware::transport_circuit_breaker::from(endpoint, breakers))
            .use(middleware::dead_letter{ports.bus})
            .use(middleware::fault{ports.bus, control, ports.now, ports.log, ports.traces})
            .use(middleware::redelivery::from(endpoint, ports.bus, nullptr, ports.now, ports.log))
            .use(middleware::circuit_breaker::from(endpoint, breakers))
            .use(middleware::expiry{ports.now})
            .use(middleware::type_selection{})
            .use(middleware::routing{});
    }
    void consume(ferry::pipeline_plan<consume_context>& plan, const ferry::consumer_settings& consumer,
                 const ferry::stage_ports& ports) const override {
        namespace middleware = ferry::middleware;
        plan.use(middleware::retry::from(consumer, ports.now, ports.counters, ports.log))
            .use(middleware::send_collected::from(ports))
            .use(middleware::handler_deadline::from(consumer, ports.now, ports.timers))
            .use(middleware::handler{});
    }
    void replies(ferry::pipeline_plan<receive_context>&, const ferry::stage_ports&) const override {}
    void dispatch(ferry::pipeline_plan<ferry::dispatch_context>&, const ferry::stage_ports&) const override {}
    void check(const std::vector<std::string>&, std::vector<std::string>&) const override {}
};

/// What observers ask of a bus when it starts.
class idle_bus final : public ferry::observed_bus {
public:
    [[nodiscard]] std::string_view service_name() const noexcept override { return "bench"; }
    [[nodiscard]] std::string_view transport_name() const noexcept override { return "memory"; }
    [[nodiscard]] ferry::bus_health health() const override { return {}; }
    [[nodiscard]] ferry::bus_counts counts() const override { return {}; }
};

void run(benchmark::State& state, endpoint& desk) {
    const ferry::packed_envelope message =
        order({{"traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}});
    desk.handle(message);
    const std::uint64_t before = allocations();
    for (auto _ : state) {
        desk.handle(message);
    }
    count_allocations(state, before);
}

void look(const order_placed& message) {
    double total = message.total;
    benchmark::DoNotOptimize(total);
}

/// From delivered to settled, with two spans when it is traced.
void handled_without_stages(benchmark::State& state) {
    endpoint desk{look, ferry::exception_policy::standard(), nullptr, uninstrumented{}};
    run(state, desk);
}
BENCHMARK(handled_without_stages);

void handled_off(benchmark::State& state) {
    endpoint desk{look, ferry::exception_policy::standard()};
    run(state, desk);
}
BENCHMARK(handled_off);

void handled_by(benchmark::State& state, ferry::observer& watching) {
    const idle_bus bus;
    watching.started(bus);
    endpoint desk{look, ferry::exception_policy::standard(), &watching};
    run(state, desk);
    watching.stopped();
}

void handled_with_nothing_set_up(benchmark::State& state) { handled_by(state, *ferry::telemetry::tracing()); }
BENCHMARK(handled_with_nothing_set_up);

void handled_traced(benchmark::State& state) {
    sink::listen();
    ferry::bus_builder unused{"bench"};
    const ferry::otlp::session session{unused};
    handled_by(state, *ferry::telemetry::tracing());
}
BENCHMARK(handled_traced);

void handled_measured(benchmark::State& state) {
    sink::listen();
    ferry::bus_builder unused{"bench"};
    const ferry::otlp::session session{unused};
    handled_by(state, *ferry::telemetry::metrics());
}
BENCHMARK(handled_measured);

/// From publish to handled over the memory transport, one thread on each side; three spans when it is traced.
void publish_to_handled(benchmark::State& state, const std::function<void(ferry::bus_builder&)>& watch) {
    constexpr std::int64_t batch = 20'000;
    std::atomic<std::int64_t> handled = 0;
    ferry::bus_builder builder{"bench"};
    builder.transport(ferry::memory::transport{}).concurrency_limit(1).prefetch(256);
    builder.handle<order_placed>([&](const order_placed& message) {
        look(message);
        if ((handled.fetch_add(1, std::memory_order_relaxed) + 1) % batch == 0) {
            handled.notify_one();
        }
    });
    watch(builder);
    ferry::bus bus = builder.build();
    bus.start();
    const order_placed order{"order-0000017", "customer-4711", 3, 99.5};
    for (auto _ : state) {
        const std::int64_t target = handled + batch;
        for (std::int64_t i = 0; i < batch; ++i) {
            bus.publish(order);
        }
        for (std::int64_t seen = handled; seen < target; seen = handled) {
            handled.wait(seen);
        }
    }
    state.SetItemsProcessed(state.iterations() * batch);
    state.counters["time_each"] = benchmark::Counter(static_cast<double>(state.iterations() * batch),
                                                     benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void published_off(benchmark::State& state) {
    publish_to_handled(state, [](ferry::bus_builder&) {});
}
BENCHMARK(published_off)->UseRealTime()->Unit(benchmark::kMillisecond);

void published_traced(benchmark::State& state) {
    sink::listen();
    ferry::bus_builder unused{"bench"};
    const ferry::otlp::session session{unused};
    publish_to_handled(state, [](ferry::bus_builder& builder) { builder.observe(ferry::telemetry::tracing()); });
}
BENCHMARK(published_traced)->UseRealTime()->Unit(benchmark::kMillisecond);

/// Traces, measurements and log lines.
void published_in_a_session(benchmark::State& state) {
    sink::listen();
    std::unique_ptr<ferry::otlp::session> session;
    publish_to_handled(state,
                       [&](ferry::bus_builder& builder) { session = std::make_unique<ferry::otlp::session>(builder); });
}
BENCHMARK(published_in_a_session)->UseRealTime()->Unit(benchmark::kMillisecond);

} // namespace
