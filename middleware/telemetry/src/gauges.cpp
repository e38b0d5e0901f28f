#include "gauges.hpp"

#include "text.hpp"

#include <ferry/counters.hpp>
#include <ferry/health.hpp>

#include <opentelemetry/metrics/async_instruments.h>
#include <opentelemetry/metrics/observer_result.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace ferry::telemetry {

namespace {

namespace metrics_api = opentelemetry::metrics;
namespace nostd = opentelemetry::nostd;

using instrument_ptr = nostd::shared_ptr<metrics_api::ObservableInstrument>;

/// Takes one value, of an endpoint or of the whole bus.
using report = std::function<void(double value, std::string_view endpoint)>;
using ask = void (*)(const observed_bus& bus, const report& tell);

/// What two buses have to say that nobody can tell apart.
using agree = double (*)(double, double);

double sum(double one, double other) { return one + other; }
double lower(double one, double other) { return std::min(one, other); }
double higher(double one, double other) { return std::max(one, other); }

} // namespace

struct asked_metric {
    metric what;
    ask how;
    agree together = sum;
    bool is_of_table = false; ///< where a bus has a store
};

namespace {

/// System, service and endpoint, if it is about one.
using place = std::tuple<std::string, std::string, std::string>;
using answers = std::map<place, double>;

bool tells_of_table(const observed_bus& bus, const asked_metric& question) {
    return question.is_of_table && bus.health().outbox.has_value();
}

void add_answers(const asked_metric& question, agree together, const observed_bus& bus, answers& all) {
    question.how(bus, [&](double value, std::string_view endpoint) {
        const auto [found, is_first] =
            all.try_emplace(place{bus.transport_name(), bus.service_name(), endpoint}, value);
        if (!is_first) {
            found->second = together(found->second, value);
        }
    });
}

void tell_of_endpoints(const observed_bus& bus, const report& tell, double (*value)(const endpoint_health&)) {
    for (const endpoint_health& each : bus.health().endpoints) {
        tell(value(each), each.name);
    }
}

double breaker_state(const endpoint_health& each) {
    return each.breaker == "open" ? 2 : each.breaker == "half open" ? 1 : 0;
}

void tell_of_outbox(const observed_bus& bus, const report& tell, double (*value)(const outbox_health&)) {
    if (const bus_health health = bus.health(); health.outbox) {
        tell(value(*health.outbox), {});
    }
}

double age_of_oldest(const outbox_health& outbox) {
    if (!outbox.oldest) {
        return 0;
    }
    return std::max(0.0, std::chrono::duration<double>(std::chrono::system_clock::now() - *outbox.oldest).count());
}

const std::array asked{
    asked_metric{measured::in_flight,
                 [](const observed_bus& bus, const report& tell) {
                     tell_of_endpoints(bus, tell, [](const endpoint_health& each) { return double(each.in_flight); });
                 }},
    asked_metric{measured::consuming,
                 [](const observed_bus& bus, const report& tell) {
                     tell_of_endpoints(bus, tell,
                                       [](const endpoint_health& each) { return each.consuming ? 1.0 : 0.0; });
                 },
                 lower},
    asked_metric{measured::breaker,
                 [](const observed_bus& bus, const report& tell) { tell_of_endpoints(bus, tell, breaker_state); },
                 higher},
    asked_metric{
        measured::connected,
        [](const observed_bus& bus, const report& tell) { tell(bus.health().transport.connected ? 1.0 : 0.0, {}); },
        lower},
    asked_metric{measured::outbox_pending,
                 [](const observed_bus& bus, const report& tell) {
                     tell_of_outbox(bus, tell, [](const outbox_health& outbox) { return double(outbox.pending); });
                 },
                 higher},
    asked_metric{measured::outbox_dead,
                 [](const observed_bus& bus, const report& tell) {
                     tell_of_outbox(bus, tell, [](const outbox_health& outbox) { return double(outbox.dead); });
                 },
                 higher},
    asked_metric{measured::outbox_age,
                 [](const observed_bus& bus, const report& tell) { tell_of_outbox(bus, tell, age_of_oldest); }, higher},
    asked_metric{measured::outbox_sent,
                 [](const observed_bus& bus, const report& tell) { tell(double(bus.counts().outbox_sent), {}); }},
    asked_metric{measured::outbox_failed,
                 [](const observed_bus& bus, const report& tell) { tell(double(bus.counts().outbox_failed), {}); }},
    asked_metric{measured::schedule_waiting,
                 [](const observed_bus& bus, const report& tell) { tell(double(bus.health().scheduled.waiting), {}); },
                 sum, true},
    asked_metric{measured::schedule_dead,
                 [](const observed_bus& bus, const report& tell) { tell(double(bus.health().scheduled.dead), {}); },
                 sum, true},
    asked_metric{measured::breaks,
                 [](const observed_bus& bus, const report& tell) { tell(double(bus.counts().breaks), {}); }},
};

instrument_ptr instrument_for(metrics_api::Meter& meter, const metric& what) {
    const nostd::string_view name = text(what.name);
    const nostd::string_view description = text(what.description);
    const nostd::string_view unit = text(what.unit);
    return what.kind == metric_kind::counter ? meter.CreateDoubleObservableCounter(name, description, unit)
                                             : meter.CreateDoubleObservableGauge(name, description, unit);
}

} // namespace

struct gauges::gauge {
    gauge(gauges& whole, const asked_metric& what, instrument_ptr into)
        : owner{whole}, question{what}, instrument{std::move(into)} {
        instrument->AddCallback(&gauge::collect, this);
    }
    gauge(const gauge&) = delete;
    gauge& operator=(const gauge&) = delete;
    ~gauge() { instrument->RemoveCallback(&gauge::collect, this); } // waits for one that is under way

    // NOLINTNEXTLINE(performance-unnecessary-value-param): the SDK wants it so
    static void collect(metrics_api::ObserverResult result, void* self) noexcept {
        static_cast<const gauge*>(self)->tell(result);
    }
    void tell(const metrics_api::ObserverResult& result) const noexcept {
        const auto* const into = nostd::get_if<nostd::shared_ptr<metrics_api::ObserverResultT<double>>>(&result);
        if (into == nullptr) {
            return;
        }
        try {
            for (const auto& [where, value] : ask_all()) {
                const auto& [system, service, endpoint] = where;
                const std::array all{named(attributes::system, system), named(attributes::service, service),
                                     named(attributes::destination, endpoint)};
                (*into)->Observe(value, attribute_list{all.data(), endpoint.empty() ? all.size() - 1 : all.size()});
            }
        } catch (...) { // NOLINT(bugprone-empty-catch): what cannot be asked now is asked at the next collection
        }
    }
    [[nodiscard]] answers ask_all() const {
        const std::scoped_lock lock{owner.mutex_};
        answers all = gone;
        // Buses with a store tell of one table, all the same; to that the others add what is their own.
        for (const observed_bus* const each : owner.buses_) {
            if (tells_of_table(*each, question)) {
                add_answers(question, higher, *each, all);
            }
        }
        for (const observed_bus* const each : owner.buses_) {
            if (!tells_of_table(*each, question)) {
                add_answers(question, question.together, *each, all);
            }
        }
        return all;
    }
    void keep_what_is_counted(const observed_bus& bus) {
        if (question.what.kind == metric_kind::counter) {
            add_answers(question, question.together, bus, gone);
        }
    }

    gauges& owner;
    const asked_metric& question;
    instrument_ptr instrument;
    answers gone; // what buses have counted that are no more; a counter does not go back
};

gauges::gauges(metrics_api::Meter& meter) {
    for (const asked_metric& each : asked) {
        all_.push_back(std::make_unique<gauge>(*this, each, instrument_for(meter, each.what)));
    }
}

gauges::~gauges() = default;

bool gauges::begin(const observed_bus& bus) {
    const std::scoped_lock lock{mutex_};
    return buses_.insert(&bus).second;
}

void gauges::end(const observed_bus& bus) noexcept {
    const std::scoped_lock lock{mutex_};
    if (buses_.erase(&bus) == 0) {
        return;
    }
    try {
        for (const auto& each : all_) {
            each->keep_what_is_counted(bus);
        }
    } catch (...) { // NOLINT(bugprone-empty-catch): out of memory; the counters begin anew then
    }
}

} // namespace ferry::telemetry
