#pragma once

#include "status.hpp"

#include <ferry/bus_builder.hpp>
#include <ferry/log.hpp>
#include <ferry/otlp/session.hpp>

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

namespace shop {

/// Tells an OpenTelemetry collector of all buses of the process; nobody when there is no address. It outlives the
/// buses, so that their ends are told as well.
class telemetry {
public:
    /// `process`: what all of it is called in the collector, unless OTEL_SERVICE_NAME says otherwise.
    telemetry(const std::string& url, const std::string& process, const ferry::log_function& log);

    void observe(ferry::bus_builder& builder);
    /// Adds what was last said of the collector: that it is away, say, or that it is back. Nothing while nothing was.
    void add_news(service_status& to) const;

private:
    void note(std::string_view text);

    mutable std::mutex mutex_;
    std::string news_;
    std::int32_t news_number_ = 0;
    std::optional<ferry::otlp::session> session_;
};

} // namespace shop
