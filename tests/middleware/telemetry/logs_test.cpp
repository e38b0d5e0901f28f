#include "../../scenarios/shop.hpp"

#include <ferry/telemetry/telemetry.hpp>

#include <opentelemetry/logs/provider.h>
#include <opentelemetry/sdk/logs/exporter.h>
#include <opentelemetry/sdk/logs/logger_provider_factory.h>
#include <opentelemetry/sdk/logs/read_write_log_record.h>
#include <opentelemetry/sdk/logs/simple_log_record_processor_factory.h>

#include <array>
#include <stdexcept>

namespace ferry::scenarios {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

namespace sdk = opentelemetry::sdk;

std::string text_of(const opentelemetry::common::AttributeValue& value) {
    const auto* const text = opentelemetry::nostd::get_if<opentelemetry::nostd::string_view>(&value);
    return text != nullptr ? std::string{*text} : "?";
}

template <typename Id> std::string hex_of(const Id& id) {
    std::array<char, 2 * Id::kSize> digits{};
    id.ToLowerBase16(opentelemetry::nostd::span<char, 2 * Id::kSize>{digits.data(), digits.size()});
    return {digits.data(), digits.size()};
}

/// Keeps what a log exporter is given.
class kept_records final : public sdk::logs::LogRecordExporter {
public:
    explicit kept_records(record<std::string>& lines) : lines_{lines} {}

    std::unique_ptr<sdk::logs::Recordable> MakeRecordable() noexcept override {
        return std::make_unique<sdk::logs::ReadWriteLogRecord>();
    }
    sdk::common::ExportResult
    Export(const opentelemetry::nostd::span<std::unique_ptr<sdk::logs::Recordable>>& records) noexcept override {
        for (const auto& each : records) {
            const auto& one = static_cast<const sdk::logs::ReadWriteLogRecord&>(*each);
            std::string line = std::string{one.GetSeverityText()} + ": " + text_of(one.GetBody());
            for (const auto& [name, value] : one.GetAttributes()) {
                line += " " + name + "=" + text_of(value);
            }
            if (one.GetTraceId().IsValid()) {
                line += " in trace " + hex_of(one.GetTraceId()) + " at span " + hex_of(one.GetSpanId());
            }
            lines_.add(line);
        }
        return sdk::common::ExportResult::kSuccess;
    }
    bool ForceFlush(std::chrono::microseconds) noexcept override { return true; }
    bool Shutdown(std::chrono::microseconds) noexcept override { return true; }

private:
    record<std::string>& lines_;
};

class TelemetryLogs : public shop {
protected:
    TelemetryLogs() {
        opentelemetry::logs::Provider::SetLoggerProvider(
            opentelemetry::nostd::shared_ptr<opentelemetry::logs::LoggerProvider>{
                sdk::logs::LoggerProviderFactory::Create(
                    sdk::logs::SimpleLogRecordProcessorFactory::Create(std::make_unique<kept_records>(records)))
                    .release()});
    }
    ~TelemetryLogs() override { opentelemetry::logs::Provider::SetLoggerProvider({}); }

    record<std::string> records;
};

TEST_F(TelemetryLogs, are_records_with_the_fields_of_the_line) {
    auto builder = service("billing");
    builder->observe(telemetry::logs());
    builder->handle<order_placed>([](const order_placed&) { throw std::runtime_error{"declined"}; });
    const auto billing = started(*builder);
    billing->publish(order_placed{"17"});
    EXPECT_TRUE(records.eventually_contains([](const std::string& line) {
        return line.starts_with("ERROR: ") && line.contains("went to billing.order-placed_error") &&
               line.contains(" consumer=order-placed") && line.contains(" message_id=") && line.contains(" attempt=1");
    })) << ::testing::PrintToString(records.all());
    EXPECT_THAT(log.all(), Contains(HasSubstr("went to billing.order-placed_error"))) << "the log goes on as before";
}

TEST_F(TelemetryLogs, lead_to_the_publisher_where_no_span_is_around_them) { // B98
    auto builder = service("billing");
    builder->observe(telemetry::tracing()).observe(telemetry::logs());
    const auto billing = started(*builder);
    (void)billing->schedule_send(
        ship_order{"17"}, 1ms,
        {.headers = {{"traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}}});
    EXPECT_TRUE(records.eventually_contains([](const std::string& line) {
        return line.contains("could not be sent") && line.contains(" message_id=") &&
               line.ends_with(" in trace 4bf92f3577b34da6a3ce929d0e0e4736 at span 00f067aa0ba902b7");
    })) << ::testing::PrintToString(records.all());
}

} // namespace
} // namespace ferry::scenarios
