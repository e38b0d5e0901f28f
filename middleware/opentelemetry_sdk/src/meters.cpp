#include <ferry/opentelemetry_sdk/meters.hpp>
#include <ferry/opentelemetry_sdk/resource.hpp>
#include <ferry/telemetry/metric.hpp>

#include <opentelemetry/metrics/noop.h>
#include <opentelemetry/metrics/provider.h>
#include <opentelemetry/sdk/metrics/aggregation/aggregation_config.h>
#include <opentelemetry/sdk/metrics/meter_provider.h>
#include <opentelemetry/sdk/metrics/metric_reader.h>
#include <opentelemetry/sdk/metrics/view/instrument_selector_factory.h>
#include <opentelemetry/sdk/metrics/view/meter_selector_factory.h>
#include <opentelemetry/sdk/metrics/view/view_factory.h>

#include <chrono>
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

/// The only reader the SDK gets to know. For each of several it would keep whatever any of them has collected until
/// that one looks as well; it never lets go of one; and none can be added while another collects.
class only_reader final : public sdk::MetricReader {
public:
    sdk::AggregationTemporality GetAggregationTemporality(sdk::InstrumentType /*of*/) const noexcept override {
        return sdk::AggregationTemporality::kCumulative;
    }

private:
    bool OnForceFlush(std::chrono::microseconds /*timeout*/) noexcept override { return true; }
    bool OnShutDown(std::chrono::microseconds /*timeout*/) noexcept override { return true; }
};

/// The meters, and what they have measured: everything since they were made, whoever asks and however often.
class own_meters final : public sdk::MetricProducer {
public:
    explicit own_meters(const std::string& service)
        : provider_{std::make_unique<sdk::ViewRegistry>(), resource_of(service)} {
        add_views(provider_);
        provider_.AddMetricReader(reader_);
    }

    Result Produce() noexcept override {
        const std::scoped_lock one_at_a_time{mutex_};
        Result all{{}, Status::kFailure};
        reader_->Collect([&](sdk::ResourceMetrics& found) {
            all = {std::move(found), Status::kSuccess};
            return true;
        });
        return all;
    }
    [[nodiscard]] sdk::MeterProvider& provider() noexcept { return provider_; }

private:
    std::mutex mutex_;
    std::shared_ptr<sdk::MetricReader> reader_ = std::make_shared<only_reader>();
    sdk::MeterProvider provider_;
};

} // namespace

std::shared_ptr<sdk::MetricProducer> meters_of_the_process(const std::string& service) {
    static std::mutex one_at_a_time;
    static std::weak_ptr<own_meters> ours;
    const std::scoped_lock lock{one_at_a_time};
    if (std::shared_ptr<own_meters> there = ours.lock()) {
        return there;
    }
    const auto present = api::Provider::GetMeterProvider();
    if (dynamic_cast<const api::NoopMeterProvider*>(present.get()) == nullptr) {
        return nullptr;
    }
    auto made = std::make_shared<own_meters>(service);
    api::Provider::SetMeterProvider(opentelemetry::nostd::shared_ptr<api::MeterProvider>{
        std::shared_ptr<api::MeterProvider>{made, &made->provider()}}); // they live as long as anybody measures
    ours = made;
    return made;
}

} // namespace ferry::opentelemetry_sdk
