#include "observed_shop.hpp"

#include <ferry/telemetry/metric.hpp>
#include <ferry/telemetry/telemetry.hpp>

#include <opentelemetry/exporters/memory/in_memory_span_data.h>
#include <opentelemetry/exporters/memory/in_memory_span_exporter_factory.h>
#include <opentelemetry/logs/noop.h>
#include <opentelemetry/logs/provider.h>
#include <opentelemetry/metrics/noop.h>
#include <opentelemetry/metrics/provider.h>
#include <opentelemetry/sdk/common/global_log_handler.h>
#include <opentelemetry/sdk/logs/exporter.h>
#include <opentelemetry/sdk/logs/logger_provider_factory.h>
#include <opentelemetry/sdk/logs/read_write_log_record.h>
#include <opentelemetry/sdk/logs/simple_log_record_processor_factory.h>
#include <opentelemetry/sdk/metrics/meter_provider.h>
#include <opentelemetry/sdk/metrics/metric_reader.h>
#include <opentelemetry/sdk/trace/simple_processor_factory.h>
#include <opentelemetry/sdk/trace/tracer_provider_factory.h>
#include <opentelemetry/trace/noop.h>
#include <opentelemetry/trace/provider.h>

#include <atomic>

namespace ferry::scenarios {
namespace {

namespace nostd = opentelemetry::nostd;
namespace trace = opentelemetry::trace;

using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class Session : public observed_shop {
protected:
    /// A bus that fails with order 17, observed; some messages flow through it, and it ends.
    void run(const std::vector<std::string>& orders = {"16", "17"}) {
        auto builder = service("billing");
        const otlp::session telemetry{*builder, quick()};
        builder->handle<order_placed>([](const order_placed& order) {
            if (order.order_id == "17") {
                throw std::runtime_error{"declined"};
            }
        });
        const auto billing = started(*builder);
        for (const std::string& each : orders) {
            billing->publish(order_placed{each});
        }
        ASSERT_TRUE(testing::eventually([&] {
            const bus_counts counts = billing->counts();
            return counts.handled + counts.dead_lettered == orders.size();
        }));
        billing->stop();
    }

    testing::collector collector;
    variable endpoint{"OTEL_EXPORTER_OTLP_ENDPOINT", url_of(collector)};
};

TEST_P(Session, sends_a_whole_trace) { // B97
    run({"16"});
    const auto published = collector.span("publish ferry.scenarios.order-placed");
    const auto received = collector.span("receive billing.order-placed");
    const auto processed = collector.span("process billing.order-placed");
    ASSERT_FALSE(published.is_null() || received.is_null() || processed.is_null());
    EXPECT_EQ(published.at("kind"), "PRODUCER");
    EXPECT_EQ(received.at("kind"), "CONSUMER");
    EXPECT_EQ(processed.at("kind"), "CONSUMER");
    EXPECT_EQ(received.at("parent_id"), published.at("span_id"));
    EXPECT_EQ(processed.at("parent_id"), received.at("span_id"));
    EXPECT_EQ(processed.at("trace_id"), published.at("trace_id"));
    EXPECT_EQ(processed.at("status"), "UNSET");
    EXPECT_EQ(published.at("over"), over_grpc() ? "grpc" : "http");
    EXPECT_EQ(published.at("scope"), "ferry");
}

TEST_P(Session, sends_measurements) { // B99
    run();
    const std::map<std::string, int> wanted{{"handled", 1}, {"dead-lettered", 1}};
    const auto consumed = collector.eventually("metric", [&](const auto& each) {
        std::map<std::string, int> outcomes;
        for (const auto& point : each.at("points")) {
            if (each.at("name") == telemetry::measured::consumed.name) {
                outcomes[point.at("attributes").at("ferry.outcome")] = point.at("value").template get<int>();
            }
        }
        return outcomes == wanted;
    });
    ASSERT_FALSE(consumed.is_null());
    EXPECT_EQ(consumed.at("kind"), "sum");
    EXPECT_EQ(consumed.at("unit"), "{message}");
    EXPECT_EQ(collector.metric(std::string{telemetry::measured::process_duration.name}).at("kind"), "histogram");
}

TEST_P(Session, sends_log_lines_that_lead_to_the_trace) { // B98
    run();
    const auto line = collector.eventually("log", [](const auto& each) { return each.at("severity") == "ERROR"; });
    ASSERT_FALSE(line.is_null());
    const auto failed = collector.eventually("span", [&](const auto& each) {
        return each.at("name") == "receive billing.order-placed" && each.at("status") == "ERROR";
    });
    ASSERT_FALSE(failed.is_null());
    EXPECT_THAT(line.at("text").get<std::string>(), HasSubstr("went to billing.order-placed_error"));
    EXPECT_EQ(line.at("trace_id"), failed.at("trace_id"));
    EXPECT_EQ(line.at("span_id"), failed.at("span_id"));
    EXPECT_EQ(line.at("attributes").at("message_id"), failed.at("attributes").at("messaging.message.id"));
    EXPECT_EQ(failed.at("events").at(0).at("name"), "dead-lettered");
}

TEST_P(Session, says_who_it_is_as_the_variables_say) { // B97
    const variable name{"OTEL_SERVICE_NAME", "accounts"};
    const variable attributes{"OTEL_RESOURCE_ATTRIBUTES", "deployment.environment=test,service.instance.id=4711"};
    const variable headers{"OTEL_EXPORTER_OTLP_HEADERS", "x-tenant=blue"};
    run();
    const auto span = collector.span("process billing.order-placed");
    ASSERT_FALSE(span.is_null());
    EXPECT_EQ(span.at("resource").at("service.name"), "accounts");
    EXPECT_EQ(span.at("resource").at("service.instance.id"), "4711");
    EXPECT_EQ(span.at("resource").at("deployment.environment"), "test");
    EXPECT_EQ(span.at("headers").at("x-tenant"), "blue");
}

TEST_P(Session, says_the_name_of_the_service_if_the_variables_do_not) { // B97
    run();
    const auto span = collector.span("process billing.order-placed");
    ASSERT_FALSE(span.is_null());
    EXPECT_EQ(span.at("resource").at("service.name"), "billing");
    EXPECT_EQ(span.at("resource").at("service.instance.id").get<std::string>().size(), uuid::text_size);
}

TEST_P(Session, samples_as_it_is_told) { // B97
    const variable sampler{"OTEL_TRACES_SAMPLER", "always_off"};
    run();
    EXPECT_FALSE(collector.metric(std::string{telemetry::measured::consumed.name}).is_null());
    EXPECT_THAT(collector.received("span"), IsEmpty());
}

TEST_P(Session, sends_nothing_when_it_is_disabled) { // B101
    const variable disabled{"OTEL_SDK_DISABLED", "true"};
    run();
    for (const std::string signal : {"span", "metric", "log"}) {
        EXPECT_THAT(collector.received(signal), IsEmpty());
    }
}

TEST_P(Session, warns_of_variables_that_mean_nothing) { // B97
    const variable wrong{"OTEL_TRACES_SAMPLER", "sometimes"};
    run();
    EXPECT_THAT(told.all(), Contains(StartsWith("warning: OTEL_TRACES_SAMPLER=sometimes has no meaning")));
    EXPECT_FALSE(collector.span("process billing.order-placed").is_null());
}

TEST_P(Session, keeps_what_the_program_has_set_up) { // B97
    std::shared_ptr<opentelemetry::exporter::memory::InMemorySpanData> own;
    trace::Provider::SetTracerProvider(nostd::shared_ptr<trace::TracerProvider>{
        opentelemetry::sdk::trace::TracerProviderFactory::Create(
            opentelemetry::sdk::trace::SimpleSpanProcessorFactory::Create(
                opentelemetry::exporter::memory::InMemorySpanExporterFactory::Create(own, 100)))
            .release()});
    const auto before = trace::Provider::GetTracerProvider();
    run({"16"});
    EXPECT_EQ(trace::Provider::GetTracerProvider().get(), before.get());
    trace::Provider::SetTracerProvider(nostd::shared_ptr<trace::TracerProvider>{new trace::NoopTracerProvider});
    EXPECT_EQ(own->GetSpans().size(), 3U);
    EXPECT_FALSE(collector.metric(std::string{telemetry::measured::consumed.name}).is_null());
    EXPECT_THAT(collector.received("span"), IsEmpty());
}

/// Collects when the test asks.
class asked_reader final : public opentelemetry::sdk::metrics::MetricReader {
public:
    opentelemetry::sdk::metrics::AggregationTemporality
    GetAggregationTemporality(opentelemetry::sdk::metrics::InstrumentType) const noexcept override {
        return opentelemetry::sdk::metrics::AggregationTemporality::kCumulative;
    }

private:
    bool OnForceFlush(std::chrono::microseconds) noexcept override { return true; }
    bool OnShutDown(std::chrono::microseconds) noexcept override { return true; }
};

TEST_P(Session, keeps_the_meters_of_the_program) { // B97
    namespace api = opentelemetry::metrics;
    const auto own = std::make_shared<opentelemetry::sdk::metrics::MeterProvider>();
    const auto reader = std::make_shared<asked_reader>();
    own->AddMetricReader(reader);
    api::Provider::SetMeterProvider(nostd::shared_ptr<api::MeterProvider>{std::shared_ptr<api::MeterProvider>{own}});
    run({"16"});
    EXPECT_EQ(api::Provider::GetMeterProvider().get(), own.get());
    api::Provider::SetMeterProvider(nostd::shared_ptr<api::MeterProvider>{new api::NoopMeterProvider});
    std::vector<std::string> measured;
    reader->Collect([&](opentelemetry::sdk::metrics::ResourceMetrics& all) {
        for (const auto& scope : all.scope_metric_data_) {
            for (const auto& each : scope.metric_data_) {
                measured.push_back(each.instrument_descriptor.name_);
            }
        }
        return true;
    });
    EXPECT_THAT(measured, Contains(std::string{telemetry::measured::consumed.name}));
    EXPECT_FALSE(collector.span("process billing.order-placed").is_null());
    EXPECT_THAT(collector.received("metric"), IsEmpty());
}

/// Counts what a program's own log exporter is given.
class counting_log_exporter final : public opentelemetry::sdk::logs::LogRecordExporter {
public:
    explicit counting_log_exporter(std::atomic<std::size_t>& count) : count_{count} {}

    std::unique_ptr<opentelemetry::sdk::logs::Recordable> MakeRecordable() noexcept override {
        return std::make_unique<opentelemetry::sdk::logs::ReadWriteLogRecord>();
    }
    opentelemetry::sdk::common::ExportResult
    Export(const nostd::span<std::unique_ptr<opentelemetry::sdk::logs::Recordable>>& records) noexcept override {
        count_ += records.size();
        return opentelemetry::sdk::common::ExportResult::kSuccess;
    }
    bool ForceFlush(std::chrono::microseconds) noexcept override { return true; }
    bool Shutdown(std::chrono::microseconds) noexcept override { return true; }

private:
    std::atomic<std::size_t>& count_;
};

TEST_P(Session, keeps_the_loggers_of_the_program) { // B97
    namespace api = opentelemetry::logs;
    namespace sdk = opentelemetry::sdk::logs;
    std::atomic<std::size_t> lines{0};
    api::Provider::SetLoggerProvider(nostd::shared_ptr<api::LoggerProvider>{
        sdk::LoggerProviderFactory::Create(
            sdk::SimpleLogRecordProcessorFactory::Create(std::make_unique<counting_log_exporter>(lines)))
            .release()});
    const auto own = api::Provider::GetLoggerProvider();
    run();
    EXPECT_EQ(api::Provider::GetLoggerProvider().get(), own.get());
    api::Provider::SetLoggerProvider(nostd::shared_ptr<api::LoggerProvider>{new api::NoopLoggerProvider});
    EXPECT_GT(lines, 0U);
    EXPECT_FALSE(collector.span("process billing.order-placed").is_null());
    EXPECT_THAT(collector.received("log"), IsEmpty());
}

TEST_P(Session, may_be_followed_by_another) { // B97
    run({"16"});
    run({"18", "19"});
    EXPECT_TRUE(testing::eventually([&] { return collector.received("span").size() == 9U; }));
    EXPECT_TRUE(testing::eventually([&] {
        return std::ranges::any_of(collector.received("metric"), [](const auto& each) {
            return each.at("name") == telemetry::measured::process_duration.name &&
                   each.at("points").at(0).at("value") == 3;
        });
    })) << "of both, since what a process has counted stays counted";
}

TEST_P(Session, says_nothing_when_it_is_over) { // B100
    run({"16"});
    const std::size_t said = told.all().size();
    OTEL_INTERNAL_LOG_ERROR("of something else");
    EXPECT_EQ(told.all().size(), said);
}

TEST_P(Session, observes_several_buses) { // B97
    auto first = service("billing");
    otlp::session telemetry{*first, quick()};
    auto second = service("shipping");
    telemetry.observe(*second);
    first->handle<order_placed>([](const order_placed&) {});
    second->handle<order_placed>([](const order_placed&) {});
    const auto billing = started(*first);
    const auto shipping = started(*second);
    billing->publish(order_placed{"17"});
    ASSERT_TRUE(testing::eventually([&] { return billing->counts().handled + shipping->counts().handled == 2; }));
    EXPECT_TRUE(telemetry.flush(5s));
    EXPECT_FALSE(collector.span("process billing.order-placed").is_null());
    EXPECT_FALSE(collector.span("process shipping.order-placed").is_null());
    const auto in_flight = collector.eventually("metric", [](const auto& each) {
        return each.at("name") == telemetry::measured::in_flight.name && each.at("points").size() == 2;
    });
    EXPECT_FALSE(in_flight.is_null()) << "the endpoints of both";
}

INSTANTIATE_TEST_SUITE_P(Over, Session, ::testing::Values("http/protobuf", "http/json", "grpc"), name_of);

} // namespace
} // namespace ferry::scenarios
