#pragma once

#include <ferry/bus_builder.hpp>
#include <ferry/log.hpp>
#include <ferry/time.hpp>

#include <chrono>
#include <memory>

namespace ferry::otlp {

struct session_options {
    /// How long the end of the session may take: what the collector has not taken then is dropped.
    duration end_within = std::chrono::seconds{5};
    /// Where it is said that the collector takes nothing, that spans are dropped, or that a variable has no meaning.
    log_function log = log_to_spdlog();
};

/// Sends traces, measurements and log lines to an OpenTelemetry collector, as the standard variables OTEL_* say:
///
///     ferry::bus_builder builder{"billing"};
///     const ferry::otlp::session telemetry{builder};
///     ferry::bus bus = builder.build();
///
/// Make it before the bus, so that the end of the bus is told as well. Whatever the program has set up with
/// OpenTelemetry's SDK by itself is kept and used. A collector that is slow, away or refuses has no effect on messages:
/// what waits for it is bounded, and dropped beyond that. docs/observability.md lists the variables.
class session {
public:
    explicit session(bus_builder& builder, const session_options& options = {});
    session(const session&) = delete;
    session& operator=(const session&) = delete;
    /// Sends what is left, for as long as the options allow.
    ~session();

    /// Observes another bus of the process as well.
    void observe(bus_builder& builder);
    /// Sends what there is now. False when the collector has not taken it in that time, or has refused it; what was
    /// refused is dropped.
    bool flush(duration within);

private:
    class parts;
    std::unique_ptr<parts> parts_;
};

} // namespace ferry::otlp
