#include "exposition.hpp"
#include "server.hpp"

#include <ferry/error.hpp>
#include <ferry/opentelemetry_sdk/meters.hpp>
#include <ferry/prometheus/exporter.hpp>
#include <ferry/telemetry/telemetry.hpp>

#include <chrono>
#include <optional>

namespace ferry::prometheus {

class exporter::parts {
public:
    explicit parts(const std::string& service) : meters_{opentelemetry_sdk::meters_of_the_process(service)} {
        if (meters_ == nullptr) {
            throw error{"this program has set up OpenTelemetry meters of its own; ferry::prometheus would not be told "
                        "by them. Add a Prometheus reader to your MeterProvider, and observe the bus with "
                        "ferry::telemetry::metrics()"};
        }
    }

    [[nodiscard]] std::string text() {
        const auto now = std::chrono::system_clock::now();
        return exposition_of(meters_->Produce().points_, now);
    }
    unsigned short serve(unsigned short port) {
        if (server_) {
            throw error{"the metrics are served already, on port " + std::to_string(server_->port())};
        }
        return server_.emplace(port, [this] { return text(); }).port();
    }

private:
    std::shared_ptr<opentelemetry::sdk::metrics::MetricProducer> meters_;
    std::optional<server> server_;
};

exporter::exporter(bus_builder& builder) : parts_{std::make_unique<parts>(builder.service())} { observe(builder); }

exporter::~exporter() = default;

void exporter::observe(bus_builder& builder) { builder.observe(telemetry::metrics()); }

std::string exporter::text() const { return parts_->text(); }

unsigned short exporter::serve(unsigned short port) { return parts_->serve(port); }

} // namespace ferry::prometheus
