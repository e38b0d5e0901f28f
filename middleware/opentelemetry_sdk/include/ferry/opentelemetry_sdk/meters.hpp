#pragma once

#include <opentelemetry/sdk/metrics/meter_provider.h>
#include <opentelemetry/sdk/metrics/metric_reader.h>

#include <memory>
#include <string>

namespace ferry::opentelemetry_sdk {

/// The meters of the process, made for this reader; or, when this part of ferry has made them before, with one reader
/// more. None when the program has set up meters of its own, which it keeps.
[[nodiscard]] std::shared_ptr<opentelemetry::sdk::metrics::MeterProvider>
meters_with(std::shared_ptr<opentelemetry::sdk::metrics::MetricReader> reader, const std::string& service);

} // namespace ferry::opentelemetry_sdk
