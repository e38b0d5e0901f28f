// Publish to handled through the memory transport, with JSON both ways; and what a million waiting messages weigh.

#include "allocations.hpp"

#include <ferry/ferry.hpp>
#include <ferry/memory/transport.hpp>
#include <ferry/packed_envelope.hpp>

#include <benchmark/benchmark.h>
#include <malloc.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <string>

namespace bench {

struct order_placed {
    std::string order_id;
    std::string customer;
    int quantity = 0;
    double total = 0;
};

} // namespace bench

namespace {

using bench::order_placed;

const order_placed order{"order-0000017", "customer-4711", 3, 99.5};

/// One thread publishes, the slots handle; the clock stops when the last message has been handled.
void publish_to_handled(benchmark::State& state) {
    constexpr std::int64_t batch = 100'000;
    std::atomic<std::int64_t> handled = 0;
    ferry::bus_builder builder{"bench"};
    builder.transport(ferry::memory::transport{}).concurrency_limit(static_cast<std::size_t>(state.range(0)));
    builder.prefetch(256);
    builder.handle<order_placed>([&](const order_placed& message) {
        double total = message.total;
        benchmark::DoNotOptimize(total);
        if ((handled.fetch_add(1, std::memory_order_relaxed) + 1) % batch == 0) {
            handled.notify_one();
        }
    });
    ferry::bus bus = builder.build();
    bus.start();
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
}
BENCHMARK(publish_to_handled)->Arg(1)->Arg(2)->Arg(4)->UseRealTime()->Unit(benchmark::kMillisecond)->MinTime(2);

/// The publisher's side alone: nobody subscribes.
void publish_only(benchmark::State& state) {
    ferry::bus_builder builder{"bench"};
    builder.transport(ferry::memory::transport{});
    ferry::bus bus = builder.build();
    bus.start();
    bus.publish(order);
    const std::uint64_t before = ferry::benchmarks::allocations();
    for (auto _ : state) {
        bus.publish(order);
    }
    state.counters["allocations"] = benchmark::Counter(static_cast<double>(ferry::benchmarks::allocations() - before),
                                                       benchmark::Counter::kAvgIterations);
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK(publish_only);

std::size_t resident_bytes() {
    std::ifstream file{"/proc/self/statm"};
    std::size_t size = 0;
    std::size_t resident = 0;
    file >> size >> resident;
    return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

/// Not a speed: how many bytes a waiting message costs beyond its own packed bytes, with a million of them.
void a_million_waiting(benchmark::State& state) {
    for (auto _ : state) {
        malloc_trim(0);
        const std::size_t before = resident_bytes();
        const auto broker = std::make_shared<ferry::memory::broker>();
        ferry::bus_builder builder{"bench"};
        builder.transport(ferry::memory::transport{broker});
        builder.endpoint("parking", [](ferry::endpoint_builder& endpoint) {
            endpoint.concurrency_limit(1).handle<order_placed>([](const order_placed&) {});
        });
        ferry::bus bus = builder.build();
        bus.start();
        constexpr int million = 1'000'000;
        for (int i = 0; i < million; ++i) {
            bus.send(order, {.destination = ferry::address::queue("parking_error")});
        }
        const std::size_t grown = resident_bytes() - before;
        const std::size_t waiting = broker->depth("parking_error");
        bus.send(order, {.destination = ferry::address::queue("parking_skipped")});
        const std::size_t own = ferry::packed_envelope{broker->messages("parking_skipped").front()}.bytes().size();
        state.counters["waiting"] = static_cast<double>(waiting);
        state.counters["packed_bytes_each"] = static_cast<double>(own);
        state.counters["resident_bytes_each"] = static_cast<double>(grown) / million;
        state.counters["overhead_bytes_each"] = (static_cast<double>(grown) / million) - static_cast<double>(own);
    }
}
BENCHMARK(a_million_waiting)->Iterations(1)->Unit(benchmark::kMillisecond);

} // namespace
