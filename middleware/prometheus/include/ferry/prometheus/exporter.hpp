#pragma once

#include <ferry/bus_builder.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace ferry::prometheus {

/// Lets Prometheus read what a bus measures:
///
///     ferry::prometheus::exporter metrics{builder};
///     metrics.serve();                                // http://127.0.0.1:9464/metrics
///
/// or mount `text()` in the web server you have. Make it before the bus, so that it is there as long.
class exporter {
public:
    /// What an answer with `text()` says in its header Content-Type.
    static constexpr std::string_view content_type = "text/plain; version=0.0.4; charset=utf-8";
    /// The port OpenTelemetry's exporters for Prometheus have if nothing is said.
    static constexpr unsigned short default_port = 9464;

    /// Observes the bus that is built. Throws when the program has set up meters of its own with OpenTelemetry's SDK:
    /// they are kept, and need a Prometheus exporter of their own.
    explicit exporter(bus_builder& builder);
    exporter(const exporter&) = delete;
    exporter& operator=(const exporter&) = delete;
    ~exporter();

    /// Observes another bus of the process as well.
    void observe(bus_builder& builder);

    /// Everything that is measured now, in the text format of Prometheus.
    [[nodiscard]] std::string text() const;

    /// Answers GET /metrics on 127.0.0.1 with `text()` until this object goes; port 0 takes any that is free. Returns
    /// the port. Throws when it cannot be had.
    unsigned short serve(unsigned short port = default_port);

private:
    class parts;
    std::unique_ptr<parts> parts_;
};

} // namespace ferry::prometheus
