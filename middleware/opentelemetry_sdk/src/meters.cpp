#include <ferry/opentelemetry_sdk/meters.hpp>
#include <ferry/opentelemetry_sdk/resource.hpp>
#include <ferry/telemetry/metric.hpp>

#include <opentelemetry/metrics/noop.h>
#include <opentelemetry/metrics/provider.h>
#include <opentelemetry/sdk/metrics/aggregation/aggregation_config.h>
#include <opentelemetry/sdk/metrics/view/instrument_selector_factory.h>
#include <opentelemetry/sdk/metrics/view/meter_selector_factory.h>
#include <opentelemetry/sdk/metrics/view/view_factory.h>

#include <mutex>
#include <utility>

namespace ferry::opentelemetry_sdk {

namespace {

namespace api = opentelemetry::metrics;
namespace sdk = opentelemetry::sdk::metrics;

// From a tenth of a millisecond, which a small handler takes, to a minute. The SDK's own steps are for milliseconds.
const std::vector<double> seconds{0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05,
                                  0.1,    0.25,    0.5,    1,     2.5,    5,     10,   30,    60};

void add_views(sdk::MeterProvider& meters) {
    for (const telemetry::metric& each : telemetry::measured::all) {
        if (each.kind != telemetry::metric_kind::histogram) {
            continue;
        }
        auto steps = std::make_shared<sdk::HistogramAggregationConfig>();
        steps->boundaries_ = seconds;
        meters.AddView(sdk::InstrumentSelectorFactory::Create(sdk::InstrumentType::kHistogram, std::string{each.name},
                                                              std::string{each.unit}),
                       sdk::MeterSelectorFactory::Create("ferry", "", ""),
                       sdk::ViewFactory::Create(std::string{each.name}, std::string{each.description},
                                                std::string{each.unit}, sdk::AggregationType::kHistogram, steps));
    }
}

} // namespace

std::shared_ptr<sdk::MeterProvider> meters_with(std::shared_ptr<sdk::MetricReader> reader, const std::string& service) {
    static std::mutex one_at_a_time;
    static std::weak_ptr<sdk::MeterProvider> ours;
    const std::scoped_lock lock{one_at_a_time};
    if (std::shared_ptr<sdk::MeterProvider> there = ours.lock()) {
        there->AddMetricReader(std::move(reader));
        return there;
    }
    const auto present = api::Provider::GetMeterProvider();
    if (dynamic_cast<const api::NoopMeterProvider*>(present.get()) == nullptr) {
        return nullptr;
    }
    auto made = std::make_shared<sdk::MeterProvider>(std::make_unique<sdk::ViewRegistry>(), resource_of(service));
    add_views(*made);
    made->AddMetricReader(std::move(reader));
    api::Provider::SetMeterProvider(opentelemetry::nostd::shared_ptr<api::MeterProvider>{made});
    ours = made;
    return made;
}

} // namespace ferry::opentelemetry_sdk
