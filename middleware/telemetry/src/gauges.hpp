#pragma once

#include <ferry/observer.hpp>
#include <ferry/telemetry/metric.hpp>

#include <opentelemetry/metrics/meter.h>

#include <memory>
#include <mutex>
#include <set>
#include <vector>

namespace ferry::telemetry {

/// What buses are asked for whenever somebody collects measurements. All of them are asked at once, and those of one
/// name and with the same endpoints answer together: of two answers with the same attributes the SDK would take the
/// second for what became of the first.
class gauges {
public:
    explicit gauges(opentelemetry::metrics::Meter& meter);
    gauges(const gauges&) = delete;
    gauges& operator=(const gauges&) = delete;
    ~gauges();

    /// False for a bus that is asked already.
    [[nodiscard]] bool begin(const observed_bus& bus);
    /// The bus is asked a last time, for what it has counted, which stays counted; when this returns, nobody is at it.
    void end(const observed_bus& bus) noexcept;

private:
    struct gauge;

    std::mutex mutex_;
    std::set<const observed_bus*> buses_;
    std::vector<std::unique_ptr<gauge>> all_;
};

} // namespace ferry::telemetry
