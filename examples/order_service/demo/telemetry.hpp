#pragma once

#include <ferry/bus_builder.hpp>
#include <ferry/log.hpp>
#include <ferry/otlp/session.hpp>

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
    /// The last that was said of the collector, as that it is away. Empty when all is well.
    [[nodiscard]] std::string news() const;

private:
    void note(std::string_view text);

    mutable std::mutex mutex_;
    std::string news_;
    std::optional<ferry::otlp::session> session_;
};

} // namespace shop
