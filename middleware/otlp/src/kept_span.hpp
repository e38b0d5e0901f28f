#pragma once

#include <boost/container/small_vector.hpp>
#include <opentelemetry/sdk/trace/exporter.h>
#include <opentelemetry/sdk/trace/recordable.h>
#include <opentelemetry/trace/span_context.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <variant>

namespace ferry::otlp {

class exporting;

/// A span as it is written down while its message is under way: in one piece of memory. The form of the exporter, with
/// some allocations for each attribute, is made of it by the thread that exports.
class kept_span final : public opentelemetry::sdk::trace::Recordable {
public:
    /// `rules` hears when it goes without having been unpacked: the queue was full, and the SDK has dropped it.
    kept_span(opentelemetry::sdk::trace::SpanExporter& exporter, exporting& rules) noexcept
        : exporter_{exporter}, rules_{rules} {}
    kept_span(const kept_span&) = delete;
    kept_span& operator=(const kept_span&) = delete;
    ~kept_span() override;

    /// What the exporter takes.
    [[nodiscard]] std::unique_ptr<Recordable> unpack();

    void SetIdentity(const opentelemetry::trace::SpanContext& context,
                     opentelemetry::trace::SpanId parent) noexcept override;
    void SetAttribute(opentelemetry::nostd::string_view name,
                      const opentelemetry::common::AttributeValue& value) noexcept override;
    void AddEvent(opentelemetry::nostd::string_view name, opentelemetry::common::SystemTimestamp at,
                  const opentelemetry::common::KeyValueIterable& attributes) noexcept override;
    void AddLink(const opentelemetry::trace::SpanContext& to,
                 const opentelemetry::common::KeyValueIterable& attributes) noexcept override;
    void SetStatus(opentelemetry::trace::StatusCode code, opentelemetry::nostd::string_view text) noexcept override;
    void SetName(opentelemetry::nostd::string_view name) noexcept override;
    void SetTraceFlags(opentelemetry::trace::TraceFlags flags) noexcept override { flags_ = flags; }
    void SetSpanKind(opentelemetry::trace::SpanKind kind) noexcept override { kind_ = kind; }
    void SetResource(const opentelemetry::sdk::resource::Resource& resource) noexcept override {
        resource_ = &resource;
    }
    void SetStartTime(opentelemetry::common::SystemTimestamp start) noexcept override { start_ = start; }
    void SetDuration(std::chrono::nanoseconds duration) noexcept override { duration_ = duration; }
    void SetInstrumentationScope(
        const opentelemetry::sdk::instrumentationscope::InstrumentationScope& scope) noexcept override {
        scope_ = &scope;
    }

private:
    /// A part of `text_`.
    struct piece {
        std::uint32_t begin = 0;
        std::uint32_t size = 0;
    };
    struct attribute {
        piece name;
        std::variant<piece, std::int64_t, double, bool> value;
    };

    [[nodiscard]] piece keep(std::string_view text);
    [[nodiscard]] opentelemetry::nostd::string_view view(piece part) const noexcept {
        return {text_.data() + part.begin, part.size};
    }
    [[nodiscard]] opentelemetry::common::AttributeValue value_of(const attribute& each) const noexcept;
    /// Where goes what is rare: events, links, lists.
    [[nodiscard]] Recordable& rare();

    opentelemetry::sdk::trace::SpanExporter& exporter_;
    exporting& rules_;
    bool unpacked_ = false;
    std::unique_ptr<Recordable> rare_;
    opentelemetry::trace::SpanContext context_ = opentelemetry::trace::SpanContext::GetInvalid();
    opentelemetry::trace::SpanId parent_;
    std::optional<opentelemetry::trace::TraceFlags> flags_;
    opentelemetry::trace::SpanKind kind_ = opentelemetry::trace::SpanKind::kInternal;
    opentelemetry::trace::StatusCode status_ = opentelemetry::trace::StatusCode::kUnset;
    const opentelemetry::sdk::resource::Resource* resource_ = nullptr;
    const opentelemetry::sdk::instrumentationscope::InstrumentationScope* scope_ = nullptr;
    opentelemetry::common::SystemTimestamp start_;
    std::chrono::nanoseconds duration_{0};
    piece name_;
    piece status_text_;
    boost::container::small_vector<attribute, 12> attributes_;
    boost::container::small_vector<char, 640> text_;
};

} // namespace ferry::otlp
