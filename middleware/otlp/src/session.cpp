#include "exporters.hpp"
#include "sdk_listener.hpp"
#include "settings.hpp"

#include <ferry/opentelemetry_sdk/meters.hpp>
#include <ferry/opentelemetry_sdk/resource.hpp>
#include <ferry/otlp/session.hpp>
#include <ferry/telemetry/telemetry.hpp>

#include <opentelemetry/logs/noop.h>
#include <opentelemetry/logs/provider.h>
#include <opentelemetry/sdk/logs/batch_log_record_processor_factory.h>
#include <opentelemetry/sdk/logs/batch_log_record_processor_options.h>
#include <opentelemetry/sdk/logs/logger_provider.h>
#include <opentelemetry/sdk/logs/logger_provider_factory.h>
#include <opentelemetry/sdk/metrics/export/periodic_exporting_metric_reader_factory.h>
#include <opentelemetry/sdk/metrics/export/periodic_exporting_metric_reader_options.h>
#include <opentelemetry/sdk/trace/batch_span_processor_factory.h>
#include <opentelemetry/sdk/trace/batch_span_processor_options.h>
#include <opentelemetry/sdk/trace/samplers/always_off_factory.h>
#include <opentelemetry/sdk/trace/samplers/always_on_factory.h>
#include <opentelemetry/sdk/trace/samplers/parent_factory.h>
#include <opentelemetry/sdk/trace/samplers/trace_id_ratio_factory.h>
#include <opentelemetry/sdk/trace/tracer_provider.h>
#include <opentelemetry/sdk/trace/tracer_provider_factory.h>
#include <opentelemetry/trace/noop.h>
#include <opentelemetry/trace/provider.h>

#include <algorithm>
#include <cstdint>
#include <thread>

namespace ferry::otlp {

namespace {

namespace nostd = opentelemetry::nostd;
namespace sdk = opentelemetry::sdk;

std::unique_ptr<sdk::trace::Sampler> sampler_of(const settings& wanted) {
    std::unique_ptr<sdk::trace::Sampler> chosen =
        wanted.sampler == sampler::ratio        ? sdk::trace::TraceIdRatioBasedSamplerFactory::Create(wanted.ratio)
        : wanted.sampler == sampler::always_off ? sdk::trace::AlwaysOffSamplerFactory::Create()
                                                : sdk::trace::AlwaysOnSamplerFactory::Create();
    return wanted.parent_based
               ? sdk::trace::ParentBasedSamplerFactory::Create(std::shared_ptr<sdk::trace::Sampler>{std::move(chosen)})
               : std::move(chosen);
}

template <typename Options> Options batch_options(const batch_settings& wanted) {
    Options options;
    options.max_queue_size = wanted.queue;
    options.max_export_batch_size = wanted.batch;
    options.schedule_delay_millis = wanted.delay;
    return options;
}

std::chrono::microseconds microseconds(duration length) {
    return std::chrono::duration_cast<std::chrono::microseconds>(length);
}

} // namespace

class session::parts {
public:
    // A try may take half of the time there is for the end: one that is under way and one that follows it fit.
    parts(const std::string& service, const session_options& options)
        : end_within_{options.end_within},
          listener_{options.log},
          rules_{std::make_shared<exporting>(std::max(options.end_within / 2, duration{std::chrono::milliseconds{1}}),
                                             options.log)} {
        const settings wanted = settings::from_environment();
        for (const std::string& each : wanted.problems) {
            options.log(log_level::warning, each);
        }
        if (wanted.traces.exported) {
            begin_traces(wanted, service);
        }
        if (wanted.logs.exported) {
            begin_logs(wanted, service);
        }
        if (wanted.metrics.exported) {
            begin_metrics(wanted, service); // last, since only ~parts ends its thread
        }
    }
    parts(const parts&) = delete;
    parts& operator=(const parts&) = delete;

    // All at once, since each may have to wait for the collector.
    ~parts() {
        rules_->end_at(std::chrono::steady_clock::now() + end_within_ / 2);
        const std::chrono::microseconds longest = microseconds(end_within_);
        const std::jthread spans{[&] { (void)(tracers_ && tracers_->Shutdown(longest)); }};
        const std::jthread records{[&] { (void)(loggers_ && loggers_->Shutdown(longest)); }};
        (void)(reader_ && reader_->ForceFlush(longest / 2)); // it would end without a last look
        (void)(reader_ && reader_->Shutdown(longest / 2));
        forget_providers();
    }

    bool flush(duration within) {
        const std::chrono::microseconds longest = microseconds(within);
        const std::uint64_t failures_before = rules_->failures();
        bool spans = true;
        bool records = true;
        bool measurements = true;
        {
            const std::jthread one{[&] { spans = !tracers_ || tracers_->ForceFlush(longest); }};
            const std::jthread other{[&] { records = !loggers_ || loggers_->ForceFlush(longest); }};
            measurements = !reader_ || reader_->ForceFlush(longest);
        }
        // To the SDK it is done when it was tried.
        return spans && records && measurements && rules_->failures() == failures_before;
    }

private:
    void begin_traces(const settings& wanted, const std::string& service) {
        using opentelemetry::trace::Provider;
        if (const auto present = Provider::GetTracerProvider();
            dynamic_cast<const opentelemetry::trace::NoopTracerProvider*>(present.get()) == nullptr) {
            return;
        }
        tracers_ = sdk::trace::TracerProviderFactory::Create(
            sdk::trace::BatchSpanProcessorFactory::Create(
                span_exporter(wanted.traces.protocol, rules_),
                batch_options<sdk::trace::BatchSpanProcessorOptions>(wanted.spans)),
            opentelemetry_sdk::resource_of(service), sampler_of(wanted));
        Provider::SetTracerProvider(nostd::shared_ptr<opentelemetry::trace::TracerProvider>{
            std::shared_ptr<opentelemetry::trace::TracerProvider>{tracers_}});
    }
    // So that a later session does not take them for the program's own.
    void forget_providers() const {
        using opentelemetry::logs::Provider;
        using tracing = opentelemetry::trace::Provider;
        if (tracers_ && tracing::GetTracerProvider().get() == tracers_.get()) {
            tracing::SetTracerProvider(
                nostd::shared_ptr<opentelemetry::trace::TracerProvider>{new opentelemetry::trace::NoopTracerProvider});
        }
        if (loggers_ && Provider::GetLoggerProvider().get() == loggers_.get()) {
            Provider::SetLoggerProvider(
                nostd::shared_ptr<opentelemetry::logs::LoggerProvider>{new opentelemetry::logs::NoopLoggerProvider});
        }
    }
    void begin_metrics(const settings& wanted, const std::string& service) {
        meters_ = opentelemetry_sdk::meters_of_the_process(service);
        if (meters_ == nullptr) {
            return;
        }
        sdk::metrics::PeriodicExportingMetricReaderOptions options;
        options.export_interval_millis = wanted.metric_interval;
        options.export_timeout_millis = std::min(
            wanted.metric_interval / 2, std::chrono::duration_cast<std::chrono::milliseconds>(rules_->longest()));
        reader_ = sdk::metrics::PeriodicExportingMetricReaderFactory::Create(
            metric_exporter(wanted.metrics.protocol, rules_), options);
        reader_->SetMetricProducer(meters_.get());
    }
    void begin_logs(const settings& wanted, const std::string& service) {
        using opentelemetry::logs::Provider;
        if (const auto present = Provider::GetLoggerProvider();
            dynamic_cast<const opentelemetry::logs::NoopLoggerProvider*>(present.get()) == nullptr) {
            return;
        }
        loggers_ = sdk::logs::LoggerProviderFactory::Create(
            sdk::logs::BatchLogRecordProcessorFactory::Create(
                log_exporter(wanted.logs.protocol, rules_),
                batch_options<sdk::logs::BatchLogRecordProcessorOptions>(wanted.log_records)),
            opentelemetry_sdk::resource_of(service));
        Provider::SetLoggerProvider(nostd::shared_ptr<opentelemetry::logs::LoggerProvider>{
            std::shared_ptr<opentelemetry::logs::LoggerProvider>{loggers_}});
    }

    duration end_within_;
    sdk_listener listener_; // goes last: until then the SDK may have something to say
    std::shared_ptr<exporting> rules_;
    // Only what this session has set up; the rest belongs to the program.
    std::shared_ptr<sdk::trace::TracerProvider> tracers_;
    std::shared_ptr<sdk::metrics::MetricProducer> meters_; // outlives its reader
    std::shared_ptr<sdk::metrics::MetricReader> reader_;
    std::shared_ptr<sdk::logs::LoggerProvider> loggers_;
};

session::session(bus_builder& builder, const session_options& options)
    : parts_{std::make_unique<parts>(builder.service(), options)} {
    observe(builder);
}

session::~session() = default;

void session::observe(bus_builder& builder) {
    builder.observe(telemetry::tracing()).observe(telemetry::metrics()).observe(telemetry::logs());
}

bool session::flush(duration within) { return parts_->flush(within); }

} // namespace ferry::otlp
