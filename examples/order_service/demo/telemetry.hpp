#pragma once

#include <ferry/bus_builder.hpp>
#include <ferry/otlp/session.hpp>

#include <optional>
#include <string>

namespace shop {

/// Tells an OpenTelemetry collector of all buses of the process; nobody when there is no address. It outlives the
/// buses, so that their ends are told as well.
class telemetry {
public:
    explicit telemetry(const std::string& url);

    void observe(ferry::bus_builder& builder);

private:
    bool wanted_;
    std::optional<ferry::otlp::session> session_;
};

} // namespace shop
