// What a chain of stages costs: time and heap allocations a message, after warm-up.

#include "allocations.hpp"

#include <ferry/pipeline_plan.hpp>
#include <ferry/receive_context.hpp>
#include <ferry/settings.hpp>

#include <benchmark/benchmark.h>

namespace {

using ferry::next;
using ferry::receive_context;

/// Looks at the message before and after, like most stages do.
struct pass_through {
    void operator()(receive_context& message, next<receive_context> next) const {
        benchmark::DoNotOptimize(message.settled());
        next(message);
        benchmark::DoNotOptimize(message.settled());
    }
};

ferry::pipeline<receive_context> chain_of(int stages) {
    std::vector<ferry::stage<receive_context>> all;
    for (int i = 0; i < stages; ++i) {
        all.emplace_back("stage " + std::to_string(i), pass_through{});
    }
    return ferry::pipeline<receive_context>{std::move(all)};
}

void pass_through_chain(benchmark::State& state) {
    const ferry::endpoint_settings endpoint;
    receive_context message{endpoint, {}, {}};
    const auto stages = chain_of(static_cast<int>(state.range(0)));
    stages(message);
    const std::uint64_t before = ferry::benchmarks::allocations();
    for (auto _ : state) {
        stages(message);
    }
    state.counters["allocations"] = benchmark::Counter(static_cast<double>(ferry::benchmarks::allocations() - before),
                                                       benchmark::Counter::kAvgIterations);
}
BENCHMARK(pass_through_chain)->Arg(0)->Arg(1)->Arg(14);

struct noted {
    int times = 0;
};

void feature_set_per_message(benchmark::State& state) {
    ferry::feature_set features;
    features.get_or_add<noted>();
    const std::uint64_t before = ferry::benchmarks::allocations();
    for (auto _ : state) {
        ++features.get_or_add<noted>().times;
        features.clear();
    }
    state.counters["allocations"] = benchmark::Counter(static_cast<double>(ferry::benchmarks::allocations() - before),
                                                       benchmark::Counter::kAvgIterations);
}
BENCHMARK(feature_set_per_message);

} // namespace
