#pragma once

#include <ferry/observer.hpp>

#include <memory>

/// Observers that tell OpenTelemetry what a bus does. They use what the program has set up with OpenTelemetry's API
/// when the bus starts; without that they cost little and tell nobody. docs/observability.md lists what they tell.
///
///     builder.observe(ferry::telemetry::tracing()).observe(ferry::telemetry::metrics());
namespace ferry::telemetry {

/// A span for every message that is sent, received, handled, relayed, and put off until its time. The trace travels
/// with the message in the W3C headers `traceparent` and `tracestate`.
[[nodiscard]] std::shared_ptr<observer> tracing();

/// Counters, durations and gauges: ferry/telemetry/metric.hpp names them all.
[[nodiscard]] std::shared_ptr<observer> metrics();

/// The lines the bus logs, as log records beside wherever else they go.
[[nodiscard]] std::shared_ptr<observer> logs();

} // namespace ferry::telemetry
