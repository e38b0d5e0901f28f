#pragma once

#include <ferry/observer.hpp>
#include <ferry/telemetry/metric.hpp>

#include <opentelemetry/metrics/async_instruments.h>
#include <opentelemetry/metrics/meter.h>

#include <memory>
#include <string>
#include <vector>

namespace ferry::telemetry {

/// The instruments of what buses are asked for.
class gauge_instruments {
public:
    explicit gauge_instruments(opentelemetry::metrics::Meter& meter);

private:
    friend class gauges;
    std::vector<opentelemetry::nostd::shared_ptr<opentelemetry::metrics::ObservableInstrument>> all_;
};

/// What is asked of a bus whenever somebody collects measurements, and nowhere kept in between.
class gauges {
public:
    gauges(const gauge_instruments& into, const observed_bus& bus);
    gauges(const gauges&) = delete;
    gauges& operator=(const gauges&) = delete;
    ~gauges();

private:
    struct gauge;

    const observed_bus& bus_;
    std::string service_;
    std::string system_;
    std::vector<std::unique_ptr<gauge>> all_;
};

} // namespace ferry::telemetry
