// JSON of a typical order of about 600 bytes, in and out: ferry's codec beside nlohmann-json's conversion of the same
// structs. Objects and buffers are reused, as ferry reuses them between messages.

#include "allocations.hpp"

#include <ferry/json/json_codec.hpp>

#include <benchmark/benchmark.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace shop {

enum class channel { web, app, phone };

struct address {
    std::string street;
    std::string city;
    std::string country;
};

struct line {
    std::string article;
    std::string title;
    std::uint32_t quantity = 1;
    double price = 0;
};

struct order {
    ferry::uuid id;
    std::string customer;
    channel placed_by = channel::web;
    ferry::time_point placed_at;
    ferry::time_point due_at;
    address deliver_to;
    std::vector<line> lines;
    std::optional<std::string> coupon;
    std::optional<std::string> note;
    bool gift = false;
};

NLOHMANN_JSON_SERIALIZE_ENUM(channel, {{channel::web, "web"}, {channel::app, "app"}, {channel::phone, "phone"}})
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(address, street, city, country)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(line, article, title, quantity, price)

} // namespace shop

// nlohmann-json knows no times; it gets the cheaper job of a plain number here.
template <> struct nlohmann::adl_serializer<ferry::time_point> {
    static void to_json(json& out, ferry::time_point at) { out = at.time_since_epoch().count(); }
    static void from_json(const json& in, ferry::time_point& at) {
        at = ferry::time_point{ferry::duration{in.get<std::int64_t>()}};
    }
};

template <> struct nlohmann::adl_serializer<ferry::uuid> {
    static void to_json(json& out, const ferry::uuid& id) { out = id.to_string(); }
    static void from_json(const json& in, ferry::uuid& id) {
        id = *ferry::uuid::parse(in.get_ref<const std::string&>());
    }
};

template <> struct nlohmann::adl_serializer<std::optional<std::string>> {
    static void to_json(json& out, const std::optional<std::string>& text) { out = text ? json(*text) : json(nullptr); }
    static void from_json(const json& in, std::optional<std::string>& text) {
        text = in.is_null() ? std::nullopt : std::optional{in.get<std::string>()};
    }
};

namespace shop {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(order, id, customer, placed_by, placed_at, due_at, deliver_to, lines, coupon, note,
                                   gift)

} // namespace shop

namespace {

const ferry::json_codec<shop::order> codec;

shop::order an_order() {
    using namespace std::chrono_literals;
    const ferry::time_point noon = std::chrono::sys_days{std::chrono::year{2026} / 11 / 16} + 12h;
    return {.id = *ferry::uuid::parse("0193361c-7a1e-7c62-9d3b-5f0c2ab6d9e1"),
            .customer = "Ada M\xc3\xbcller",
            .placed_by = shop::channel::app,
            .placed_at = noon + 123456us,
            .due_at = noon + 48h,
            .deliver_to = {"Hafenstra\xc3\x9f"
                           "e 12, 3rd floor left",
                           "Hamburg", "DE"},
            .lines = {{"A-10032", "Rope, hemp, three-strand, 12 mm, 50 m", 2, 39.9},
                      {"A-20817", "Shackle, galvanised \"heavy\", 8 mm", 12, 4.25},
                      {"B-00451", "Life jacket, adult, orange, with whistle", 4, 74.5}},
            .coupon = "AUTUMN-2026",
            .note = std::nullopt,
            .gift = true};
}

/// Runs `body` as the benchmark and notes what it took from the heap.
template <typename Body> void measure(benchmark::State& state, std::size_t bytes, Body body) {
    body();
    const std::uint64_t before = ferry::benchmarks::allocations();
    for (auto _ : state) {
        body();
    }
    const auto rounds = static_cast<double>(state.iterations());
    state.counters["allocations"] = static_cast<double>(ferry::benchmarks::allocations() - before) / rounds;
    state.counters["bytes"] = static_cast<double>(bytes);
}

ferry::buffer encoded() {
    ferry::buffer body;
    const shop::order order = an_order();
    codec.encode(&order, body);
    return body;
}

void encode_ferry(benchmark::State& state) {
    const shop::order order = an_order();
    ferry::buffer out;
    measure(state, encoded().size(), [&] {
        out.clear();
        codec.encode(&order, out);
        benchmark::DoNotOptimize(out.data());
    });
}

void encode_nlohmann(benchmark::State& state) {
    const shop::order order = an_order();
    measure(state, nlohmann::json(order).dump().size(), [&] {
        std::string out = nlohmann::json(order).dump();
        benchmark::DoNotOptimize(out.data());
    });
}

void decode_ferry(benchmark::State& state) {
    const ferry::buffer body = encoded();
    shop::order order;
    measure(state, body.size(), [&] {
        codec.decode(body, &order);
        benchmark::DoNotOptimize(order);
    });
}

void decode_nlohmann(benchmark::State& state) {
    const std::string body = nlohmann::json(an_order()).dump();
    shop::order order;
    measure(state, body.size(), [&] {
        nlohmann::json::parse(body).get_to(order);
        benchmark::DoNotOptimize(order);
    });
}

BENCHMARK(encode_ferry);
BENCHMARK(encode_nlohmann);
BENCHMARK(decode_ferry);
BENCHMARK(decode_nlohmann);

/// The usual table, with the factors between the two at its end.
class comparing_reporter : public benchmark::ConsoleReporter {
public:
    void ReportRuns(const std::vector<Run>& runs) override {
        for (const Run& run : runs) {
            if (run.run_type == Run::RT_Iteration || run.aggregate_name == "median") {
                nanoseconds_[run.run_name.function_name] = run.GetAdjustedCPUTime();
            }
        }
        ConsoleReporter::ReportRuns(runs);
    }

    void Finalize() override {
        for (const std::string work : {"encode", "decode"}) {
            const double ours = nanoseconds_[work + "_ferry"], theirs = nanoseconds_[work + "_nlohmann"];
            if (ours > 0 && theirs > 0) {
                std::printf("%s: ferry %.0f ns, nlohmann-json %.0f ns: %.1f times as fast\n", work.c_str(), ours,
                            theirs, theirs / ours);
            }
        }
        ConsoleReporter::Finalize();
    }

private:
    std::map<std::string, double> nanoseconds_;
};

} // namespace

int main(int argc, char** argv) {
    benchmark::Initialize(&argc, argv);
    comparing_reporter reporter;
    benchmark::RunSpecifiedBenchmarks(&reporter);
}
