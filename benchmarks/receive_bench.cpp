// One delivery through the whole default receive and consumer pipelines, from delivered to settled, without transport
// and threads; and what a failing handler costs.

#include "one_endpoint.hpp"

namespace {

using namespace ferry::benchmarks;
using namespace std::chrono_literals;

/// From delivered to settled: unpacking, both pipelines, decoding and the handler. The policy retries and redelivers,
/// so every stage is there.
void handled(benchmark::State& state) {
    endpoint desk{[](const order_placed& message) {
                      double total = message.total;
                      benchmark::DoNotOptimize(total);
                  },
                  ferry::exception_policy::standard()};
    const ferry::packed_envelope message = order();
    desk.handle(message);
    const std::uint64_t before = ferry::benchmarks::allocations();
    for (auto _ : state) {
        desk.handle(message);
    }
    count_allocations(state, before);
}
BENCHMARK(handled);

/// The part of it that is decoding the body.
void decoded(benchmark::State& state) {
    ferry::envelope message;
    order().unpack(message);
    order_placed object;
    const std::uint64_t before = ferry::benchmarks::allocations();
    for (auto _ : state) {
        ferry::decode_body(message, ferry::message_type::of<order_placed>(), &object);
        benchmark::DoNotOptimize(object);
    }
    count_allocations(state, before);
}
BENCHMARK(decoded);

[[noreturn]] void fail() { throw std::runtime_error{"no such customer"}; }

/// What two throws cost by themselves.
void two_throws(benchmark::State& state) {
    for (auto _ : state) {
        for (int i = 0; i < 2; ++i) {
            try {
                fail();
            } catch (const std::exception& thrown) {
                benchmark::DoNotOptimize(thrown.what());
            }
        }
    }
}
BENCHMARK(two_throws);

/// A handler that fails, is retried once without a wait, fails again, has no redelivery left, and ends as a fault.
void failed(benchmark::State& state) {
    ferry::exception_policy policy;
    policy.on<std::logic_error>().dead_letter();
    policy.otherwise().retry({0s}).then_redeliver({5min});
    endpoint desk{[](const order_placed&) { fail(); }, std::move(policy)};
    const ferry::packed_envelope message = order({{"delayed-retry-count", 1}});
    for (auto _ : state) {
        desk.handle(message);
    }
    if (desk.last() != ferry::settlement::dead_lettered) {
        state.SkipWithError("the message did not end as a fault");
    }
}
BENCHMARK(failed);

} // namespace
