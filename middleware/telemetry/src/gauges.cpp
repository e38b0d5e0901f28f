#include "gauges.hpp"

#include "text.hpp"

#include <ferry/counters.hpp>
#include <ferry/health.hpp>

#include <opentelemetry/metrics/async_instruments.h>
#include <opentelemetry/metrics/observer_result.h>

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

namespace ferry::telemetry {

namespace {

namespace metrics_api = opentelemetry::metrics;
namespace nostd = opentelemetry::nostd;

using attribute = std::pair<nostd::string_view, opentelemetry::common::AttributeValue>;
using instrument_ptr = nostd::shared_ptr<metrics_api::ObservableInstrument>;

/// Takes one value, of an endpoint or of the whole bus.
using report = std::function<void(double value, std::string_view endpoint)>;
using ask = void (*)(const observed_bus& bus, const report& tell);

struct asked_metric {
    metric what;
    ask how;
};

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
                 }},
    asked_metric{measured::breaker,
                 [](const observed_bus& bus, const report& tell) { tell_of_endpoints(bus, tell, breaker_state); }},
    asked_metric{
        measured::connected,
        [](const observed_bus& bus, const report& tell) { tell(bus.health().transport.connected ? 1.0 : 0.0, {}); }},
    asked_metric{measured::outbox_pending,
                 [](const observed_bus& bus, const report& tell) {
                     tell_of_outbox(bus, tell, [](const outbox_health& outbox) { return double(outbox.pending); });
                 }},
    asked_metric{measured::outbox_dead,
                 [](const observed_bus& bus, const report& tell) {
                     tell_of_outbox(bus, tell, [](const outbox_health& outbox) { return double(outbox.dead); });
                 }},
    asked_metric{measured::outbox_age,
                 [](const observed_bus& bus, const report& tell) { tell_of_outbox(bus, tell, age_of_oldest); }},
    asked_metric{measured::outbox_sent,
                 [](const observed_bus& bus, const report& tell) { tell(double(bus.counts().outbox_sent), {}); }},
    asked_metric{measured::outbox_failed,
                 [](const observed_bus& bus, const report& tell) { tell(double(bus.counts().outbox_failed), {}); }},
    asked_metric{measured::schedule_waiting,
                 [](const observed_bus& bus, const report& tell) { tell(double(bus.health().scheduled.waiting), {}); }},
    asked_metric{measured::schedule_dead,
                 [](const observed_bus& bus, const report& tell) { tell(double(bus.health().scheduled.dead), {}); }},
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
    gauge(const gauges& whole, ask question, instrument_ptr into)
        : owner{whole}, how{question}, instrument{std::move(into)} {
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
            how(owner.bus_, [&](double value, std::string_view endpoint) {
                const std::array all{attribute{text(attributes::system), text(owner.system_)},
                                     attribute{text(attributes::service), text(owner.service_)},
                                     attribute{text(attributes::destination), text(endpoint)}};
                (*into)->Observe(
                    value, nostd::span<const attribute>{all.data(), endpoint.empty() ? all.size() - 1 : all.size()});
            });
        } catch (...) { // NOLINT(bugprone-empty-catch): what cannot be asked now is asked at the next collection
        }
    }

    const gauges& owner;
    ask how;
    instrument_ptr instrument;
};

gauge_instruments::gauge_instruments(metrics_api::Meter& meter) {
    for (const asked_metric& each : asked) {
        all_.push_back(instrument_for(meter, each.what));
    }
}

gauges::gauges(const gauge_instruments& into, const observed_bus& bus)
    : bus_{bus}, service_{bus.service_name()}, system_{bus.transport_name()} {
    for (std::size_t i = 0; i < asked.size(); ++i) {
        all_.push_back(std::make_unique<gauge>(*this, asked[i].how, into.all_[i]));
    }
}

gauges::~gauges() = default;

} // namespace ferry::telemetry
