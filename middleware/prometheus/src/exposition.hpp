#pragma once

#include <opentelemetry/sdk/metrics/export/metric_producer.h>

#include <chrono>
#include <string>

namespace ferry::prometheus {

/// The text format of Prometheus, version 0.0.4. Without gauges that nobody has told of since: the SDK keeps the last
/// values of a bus that has stopped.
[[nodiscard]] std::string exposition_of(const opentelemetry::sdk::metrics::ResourceMetrics& all,
                                        std::chrono::system_clock::time_point since);

} // namespace ferry::prometheus
