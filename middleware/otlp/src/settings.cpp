#include "settings.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <initializer_list>
#include <utility>

namespace ferry::otlp {

namespace {

/// Reads variables and notes what cannot be meant.
class reader {
public:
    reader(const settings::lookup& variables, std::vector<std::string>& problems)
        : variables_{variables}, problems_{problems} {}

    template <typename Value> using choice = std::pair<std::string_view, Value>;

    template <typename Value>
    void choose(const std::string& name, std::initializer_list<choice<Value>> choices, Value& into) const {
        const std::optional<std::string> said = variables_(name);
        if (!said) {
            return;
        }
        const auto found = std::ranges::find(choices, std::string_view{*said}, &choice<Value>::first);
        if (found != choices.end()) {
            into = found->second;
            return;
        }
        std::string known;
        for (const choice<Value>& each : choices) {
            known.append(known.empty() ? "" : ", ").append(each.first);
        }
        problem(name, *said, "known are " + known);
    }

    template <typename Number>
    void number(const std::string& name, Number smallest, Number largest, Number& into) const {
        const std::optional<std::string> said = variables_(name);
        if (!said) {
            return;
        }
        Number value{};
        const auto [end, failure] = std::from_chars(said->data(), said->data() + said->size(), value);
        if (failure != std::errc{} || end != said->data() + said->size() || value < smallest || value > largest) {
            return problem(name, *said,
                           "it should be a number from " + std::to_string(smallest) + " to " + std::to_string(largest));
        }
        into = value;
    }

    void milliseconds(const std::string& name, std::chrono::milliseconds& into) const {
        long long value = into.count();
        number(name, 1LL, 86'400'000LL, value);
        into = std::chrono::milliseconds{value};
    }

private:
    void problem(const std::string& name, const std::string& value, const std::string& hint) const {
        problems_.push_back(name + "=" + value + " has no meaning and is ignored: " + hint);
    }

    const settings::lookup& variables_;
    std::vector<std::string>& problems_;
};

void read_signal(const reader& from, const std::string& name, signal_settings& into) {
    from.choose<bool>("OTEL_" + name + "_EXPORTER", {{"otlp", true}, {"none", false}}, into.exported);
    for (const std::string& variable :
         {std::string{"OTEL_EXPORTER_OTLP_PROTOCOL"}, "OTEL_EXPORTER_OTLP_" + name + "_PROTOCOL"}) {
        from.choose<protocol>(
            variable,
            {{"http/protobuf", protocol::http_protobuf}, {"http/json", protocol::http_json}, {"grpc", protocol::grpc}},
            into.protocol);
    }
}

void read_batch(const reader& from, const std::string& prefix, batch_settings& into) {
    from.number<std::size_t>(prefix + "_MAX_QUEUE_SIZE", 1, 10'000'000, into.queue);
    from.number<std::size_t>(prefix + "_MAX_EXPORT_BATCH_SIZE", 1, 1'000'000, into.batch);
    into.batch = std::min(into.batch, into.queue);
    from.milliseconds(prefix + "_SCHEDULE_DELAY", into.delay);
}

struct sampling {
    sampler how;
    bool parent_based;
};

void read_sampler(const reader& from, settings& into) {
    sampling chosen{into.sampler, into.parent_based};
    from.choose<sampling>("OTEL_TRACES_SAMPLER",
                          {{"always_on", {sampler::always_on, false}},
                           {"always_off", {sampler::always_off, false}},
                           {"traceidratio", {sampler::ratio, false}},
                           {"parentbased_always_on", {sampler::always_on, true}},
                           {"parentbased_always_off", {sampler::always_off, true}},
                           {"parentbased_traceidratio", {sampler::ratio, true}}},
                          chosen);
    into.sampler = chosen.how;
    into.parent_based = chosen.parent_based;
    if (into.sampler == sampler::ratio) {
        from.number("OTEL_TRACES_SAMPLER_ARG", 0.0, 1.0, into.ratio);
    }
}

} // namespace

settings settings::from(const lookup& variables) {
    settings read;
    const reader from{variables, read.problems};
    for (const auto& [name, into] :
         {std::pair{"TRACES", &read.traces}, std::pair{"METRICS", &read.metrics}, std::pair{"LOGS", &read.logs}}) {
        read_signal(from, name, *into);
    }
    bool disabled = false;
    from.choose<bool>("OTEL_SDK_DISABLED", {{"true", true}, {"false", false}}, disabled);
    if (disabled) {
        read.traces.exported = read.metrics.exported = read.logs.exported = false;
    }
    read_sampler(from, read);
    read_batch(from, "OTEL_BSP", read.spans);
    read_batch(from, "OTEL_BLRP", read.log_records);
    from.milliseconds("OTEL_METRIC_EXPORT_INTERVAL", read.metric_interval);
    std::ranges::sort(read.problems); // the same variable may be read for each signal
    const auto repeated = std::ranges::unique(read.problems);
    read.problems.erase(repeated.begin(), repeated.end());
    return read;
}

settings settings::from_environment() {
    return from([](std::string_view name) -> std::optional<std::string> {
        const char* const value =
            std::getenv(std::string{name}.c_str()); // NOLINT(concurrency-mt-unsafe): it only reads
        return value == nullptr || *value == '\0' ? std::nullopt : std::optional<std::string>{value};
    });
}

} // namespace ferry::otlp
