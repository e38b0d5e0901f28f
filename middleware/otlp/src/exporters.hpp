#pragma once

#include "settings.hpp"

#include <ferry/log.hpp>
#include <ferry/time.hpp>

#include <opentelemetry/sdk/logs/exporter.h>
#include <opentelemetry/sdk/metrics/push_metric_exporter.h>
#include <opentelemetry/sdk/trace/exporter.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

namespace ferry::otlp {

/// What the exporters of a session have in common: until when they may try, and telling of what goes wrong.
class exporting {
public:
    using moment = std::chrono::steady_clock::time_point;

    /// `longest` is how long one try may take.
    exporting(duration longest, log_function log) : longest_{longest}, log_{std::move(log)} {}

    [[nodiscard]] duration longest() const noexcept { return longest_; }
    /// No try begins after this one.
    void end_at(moment last) noexcept { last_ = last.time_since_epoch().count(); }
    [[nodiscard]] bool is_over() const noexcept {
        return std::chrono::steady_clock::now().time_since_epoch().count() > last_.load();
    }
    /// Tells of the first failure in a row, and of the end of a row.
    void tried(const std::string& what, bool& failing, bool success);
    /// Tells, once, that spans are lost before anybody tries to send them. At the end of the session that is no news.
    void dropped_span() noexcept;
    /// How many tries the collector has not taken, of all exporters.
    [[nodiscard]] std::uint64_t failures() const noexcept { return failures_; }
    void log(log_level level, const std::string& text) const { log_(level, text); }

private:
    duration longest_;
    log_function log_;
    std::atomic<moment::rep> last_{moment::max().time_since_epoch().count()};
    std::atomic<std::uint64_t> failures_{0};
    std::atomic<bool> has_dropped_{false};
};

/// The SDK has complained of something on the calling thread.
void note_complaint() noexcept;

/// OpenTelemetry's exporters, as the settings and OTEL_EXPORTER_OTLP_* say.
[[nodiscard]] std::unique_ptr<opentelemetry::sdk::trace::SpanExporter> span_exporter(protocol over,
                                                                                     std::shared_ptr<exporting> rules);
[[nodiscard]] std::unique_ptr<opentelemetry::sdk::metrics::PushMetricExporter>
metric_exporter(protocol over, std::shared_ptr<exporting> rules);
[[nodiscard]] std::unique_ptr<opentelemetry::sdk::logs::LogRecordExporter>
log_exporter(protocol over, std::shared_ptr<exporting> rules);

} // namespace ferry::otlp
