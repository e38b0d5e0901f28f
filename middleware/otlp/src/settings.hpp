#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ferry::otlp {

enum class protocol : unsigned char { http_protobuf, http_json, grpc };
enum class sampler : unsigned char { always_on, always_off, ratio };

struct signal_settings {
    bool exported = true;
    otlp::protocol protocol = protocol::http_protobuf;
};

/// What is queued for the collector, at most, and how often it leaves.
struct batch_settings {
    std::size_t queue = 2048;
    std::size_t batch = 512;
    std::chrono::milliseconds delay{5000};
};

/// What the standard variables say. Where to send to, with which headers and certificates, OpenTelemetry's exporters
/// read for themselves.
struct settings {
    signal_settings traces;
    signal_settings metrics;
    signal_settings logs;
    otlp::sampler sampler = sampler::always_on;
    bool parent_based = true;
    double ratio = 1;
    batch_settings spans;
    batch_settings log_records{.delay = std::chrono::milliseconds{1000}};
    std::chrono::milliseconds metric_interval{60'000};
    std::vector<std::string> problems; ///< variables with values that mean nothing; what they would set is as if unset

    /// Asks for variables by name; none that is empty counts.
    using lookup = std::function<std::optional<std::string>(std::string_view name)>;
    [[nodiscard]] static settings from(const lookup& variables);
    [[nodiscard]] static settings from_environment();
};

} // namespace ferry::otlp
