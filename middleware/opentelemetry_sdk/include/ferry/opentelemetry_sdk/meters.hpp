#pragma once

#include <opentelemetry/sdk/metrics/export/metric_producer.h>

#include <memory>
#include <string>

namespace ferry::opentelemetry_sdk {

/// What the process measures: all of it since the beginning, for as many as want to know, whenever they ask. Nothing is
/// kept for one who does not. The meters are made when the first asks for them, with that service's name; none when the
/// program has set up meters of its own, which it keeps.
[[nodiscard]] std::shared_ptr<opentelemetry::sdk::metrics::MetricProducer>
meters_of_the_process(const std::string& service);

} // namespace ferry::opentelemetry_sdk
