#include "text.hpp"
#include "trace_context.hpp"

#include <ferry/log.hpp>
#include <ferry/telemetry/telemetry.hpp>

#include <opentelemetry/logs/logger.h>
#include <opentelemetry/logs/provider.h>
#include <opentelemetry/logs/severity.h>

#include <array>

namespace ferry::telemetry {

namespace {

opentelemetry::logs::Severity severity_of(log_level level) noexcept {
    using enum opentelemetry::logs::Severity;
    static constexpr std::array all{kDebug, kInfo, kWarn, kError};
    return all[static_cast<std::size_t>(level)];
}

class log_records final : public observer {
public:
    void started(const observed_bus& /*bus*/) override {
        logger_ = opentelemetry::logs::Provider::GetLoggerProvider()->GetLogger("ferry", "ferry", FERRY_VERSION);
    }

    // The SDK adds the trace of the calling thread by itself. A line about a message may have one where that has none.
    void logged(const log_line& line) noexcept override {
        if (logger_ == nullptr) {
            return; // a bus that has never started
        }
        auto record = logger_->CreateLogRecord();
        if (record == nullptr) {
            return;
        }
        record->SetSeverity(severity_of(line.level));
        record->SetBody(text(line.text));
        if (const auto where = context_at(line.trace); where.IsValid()) {
            record->SetTraceId(where.trace_id());
            record->SetSpanId(where.span_id());
        }
        const auto fields = line.fields(); // until the record is out of our hands
        for (const auto& [name, value] : fields) {
            if (name != "trace_id" && name != "span_id") {
                record->SetAttribute(text(name), text(value));
            }
        }
        logger_->EmitLogRecord(std::move(record));
    }

private:
    opentelemetry::nostd::shared_ptr<opentelemetry::logs::Logger> logger_;
};

} // namespace

std::shared_ptr<observer> logs() { return std::make_shared<log_records>(); }

} // namespace ferry::telemetry
