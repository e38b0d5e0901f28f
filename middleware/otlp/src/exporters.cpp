#include "exporters.hpp"

#include "kept_span.hpp"

#include <opentelemetry/exporters/otlp/otlp_grpc_exporter_factory.h>
#include <opentelemetry/exporters/otlp/otlp_grpc_exporter_options.h>
#include <opentelemetry/exporters/otlp/otlp_grpc_log_record_exporter_factory.h>
#include <opentelemetry/exporters/otlp/otlp_grpc_log_record_exporter_options.h>
#include <opentelemetry/exporters/otlp/otlp_grpc_metric_exporter_factory.h>
#include <opentelemetry/exporters/otlp/otlp_grpc_metric_exporter_options.h>
#include <opentelemetry/exporters/otlp/otlp_http_exporter_factory.h>
#include <opentelemetry/exporters/otlp/otlp_http_exporter_options.h>
#include <opentelemetry/exporters/otlp/otlp_http_log_record_exporter_factory.h>
#include <opentelemetry/exporters/otlp/otlp_http_log_record_exporter_options.h>
#include <opentelemetry/exporters/otlp/otlp_http_metric_exporter_factory.h>
#include <opentelemetry/exporters/otlp/otlp_http_metric_exporter_options.h>
#include <opentelemetry/sdk/logs/recordable.h>
#include <opentelemetry/sdk/trace/recordable.h>

#include <algorithm>
#include <utility>

namespace ferry::otlp {

namespace {

namespace exporter = opentelemetry::exporter::otlp;
namespace nostd = opentelemetry::nostd;
namespace sdk = opentelemetry::sdk;
using sdk::common::ExportResult;

thread_local int complaints_of_this_thread = 0;

/// What the SDK has complained of on this thread since. Its exporters over HTTP say that all went well when nothing
/// did; only their complaint tells.
class complaints {
public:
    [[nodiscard]] bool none() const noexcept { return complaints_of_this_thread == before_; }

private:
    int before_ = complaints_of_this_thread;
};

/// Holds an exporter to the rules of its session. `Kind` is the interface it has.
template <typename Kind> class ruled : public Kind {
public:
    ruled(std::string what, std::unique_ptr<Kind> inner, std::shared_ptr<exporting> rules)
        : what_{std::move(what)}, inner_{std::move(inner)}, rules_{std::move(rules)} {}

    bool ForceFlush(std::chrono::microseconds timeout) noexcept override { return inner_->ForceFlush(timeout); }
    bool Shutdown(std::chrono::microseconds timeout) noexcept override { return inner_->Shutdown(timeout); }

protected:
    template <typename Data> [[nodiscard]] ExportResult pass_on(const Data& data) noexcept {
        if (is_over()) {
            return ExportResult::kFailure;
        }
        const complaints heard;
        const ExportResult result = inner_->Export(data);
        rules_->tried(what_, failing_, result == ExportResult::kSuccess && heard.none());
        return result;
    }
    [[nodiscard]] Kind& inner() const noexcept { return *inner_; }
    [[nodiscard]] exporting& rules() const noexcept { return *rules_; }
    [[nodiscard]] bool is_over() const noexcept { return rules_->is_over(); }

private:
    std::string what_;
    std::unique_ptr<Kind> inner_;
    std::shared_ptr<exporting> rules_;
    bool failing_ = false; // exports of one exporter never overlap
};

class ruled_spans final : public ruled<sdk::trace::SpanExporter> {
public:
    using ruled::ruled;
    std::unique_ptr<sdk::trace::Recordable> MakeRecordable() noexcept override {
        return std::make_unique<kept_span>(inner(), rules());
    }
    ExportResult Export(const nostd::span<std::unique_ptr<sdk::trace::Recordable>>& all) noexcept override {
        if (is_over()) {
            return ExportResult::kFailure; // before any work is done for it
        }
        std::vector<std::unique_ptr<sdk::trace::Recordable>> unpacked;
        unpacked.reserve(all.size());
        for (const auto& each : all) {
            unpacked.push_back(static_cast<kept_span&>(*each).unpack());
        }
        return pass_on(nostd::span<std::unique_ptr<sdk::trace::Recordable>>{unpacked.data(), unpacked.size()});
    }
};

class ruled_logs final : public ruled<sdk::logs::LogRecordExporter> {
public:
    using ruled::ruled;
    std::unique_ptr<sdk::logs::Recordable> MakeRecordable() noexcept override { return inner().MakeRecordable(); }
    ExportResult Export(const nostd::span<std::unique_ptr<sdk::logs::Recordable>>& all) noexcept override {
        return pass_on(all);
    }
};

class ruled_metrics final : public ruled<sdk::metrics::PushMetricExporter> {
public:
    using ruled::ruled;
    ExportResult Export(const sdk::metrics::ResourceMetrics& all) noexcept override { return pass_on(all); }
    sdk::metrics::AggregationTemporality
    GetAggregationTemporality(sdk::metrics::InstrumentType type) const noexcept override {
        return inner().GetAggregationTemporality(type);
    }
};

template <typename Options> Options timed(const exporting& rules) {
    Options options;
    options.timeout =
        std::min(options.timeout, std::chrono::duration_cast<std::chrono::system_clock::duration>(rules.longest()));
    return options;
}

template <typename Options> Options over_http(protocol over, const exporting& rules) {
    auto options = timed<Options>(rules);
    options.content_type = over == protocol::http_json ? exporter::HttpRequestContentType::kJson
                                                       : exporter::HttpRequestContentType::kBinary;
    return options;
}

} // namespace

void note_complaint() noexcept { ++complaints_of_this_thread; }

void exporting::tried(const std::string& what, bool& failing, bool success) {
    failures_ += success ? 0 : 1;
    if (!success && !failing) {
        log(log_level::warning, "the collector takes no " + what + "; until it does they are dropped");
    } else if (success && failing) {
        log(log_level::info, "the collector takes " + what + " again");
    }
    failing = !success;
}

// By the thread whose message it is about, so it has to be quick from the second on.
void exporting::dropped_span() noexcept {
    const bool is_ending = last_.load() != moment::max().time_since_epoch().count();
    if (is_ending || has_dropped_.load(std::memory_order_relaxed) || has_dropped_.exchange(true)) {
        return;
    }
    log(log_level::warning,
        "spans are dropped: more of them wait for the collector than OTEL_BSP_MAX_QUEUE_SIZE allows");
}

std::unique_ptr<sdk::trace::SpanExporter> span_exporter(protocol over, std::shared_ptr<exporting> rules) {
    auto inner =
        over == protocol::grpc
            ? exporter::OtlpGrpcExporterFactory::Create(timed<exporter::OtlpGrpcExporterOptions>(*rules))
            : exporter::OtlpHttpExporterFactory::Create(over_http<exporter::OtlpHttpExporterOptions>(over, *rules));
    return std::make_unique<ruled_spans>("spans", std::move(inner), std::move(rules));
}

std::unique_ptr<sdk::metrics::PushMetricExporter> metric_exporter(protocol over, std::shared_ptr<exporting> rules) {
    auto inner =
        over == protocol::grpc
            ? exporter::OtlpGrpcMetricExporterFactory::Create(timed<exporter::OtlpGrpcMetricExporterOptions>(*rules))
            : exporter::OtlpHttpMetricExporterFactory::Create(
                  over_http<exporter::OtlpHttpMetricExporterOptions>(over, *rules));
    return std::make_unique<ruled_metrics>("measurements", std::move(inner), std::move(rules));
}

std::unique_ptr<sdk::logs::LogRecordExporter> log_exporter(protocol over, std::shared_ptr<exporting> rules) {
    auto inner = over == protocol::grpc ? exporter::OtlpGrpcLogRecordExporterFactory::Create(
                                              timed<exporter::OtlpGrpcLogRecordExporterOptions>(*rules))
                                        : exporter::OtlpHttpLogRecordExporterFactory::Create(
                                              over_http<exporter::OtlpHttpLogRecordExporterOptions>(over, *rules));
    return std::make_unique<ruled_logs>("log records", std::move(inner), std::move(rules));
}

} // namespace ferry::otlp
