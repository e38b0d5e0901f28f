#include "telemetry.hpp"

#include <cstdlib>

namespace shop {

telemetry::telemetry(const std::string& url) : wanted_{!url.empty()} {
    if (wanted_) {
        setenv("OTEL_EXPORTER_OTLP_ENDPOINT", url.c_str(), 1); // NOLINT(concurrency-mt-unsafe): no thread yet
    }
}

void telemetry::observe(ferry::bus_builder& builder) {
    if (!wanted_) {
        return;
    }
    if (session_) {
        session_->observe(builder);
    } else {
        session_.emplace(builder);
    }
}

} // namespace shop
