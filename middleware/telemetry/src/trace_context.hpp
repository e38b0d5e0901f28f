#pragma once

#include <ferry/headers.hpp>
#include <ferry/log.hpp>

#include <opentelemetry/trace/span_context.h>

/// Where a message's trace is written: the headers of W3C Trace Context, level 1.
namespace ferry::telemetry {

inline constexpr std::string_view traceparent = "traceparent";
inline constexpr std::string_view tracestate = "tracestate";

/// Writes the context of a span into the headers; nothing when the span has none.
void write(const opentelemetry::trace::SpanContext& context, headers& into);
/// The context in the headers; one that is not valid when there is none, or none that can be read.
[[nodiscard]] opentelemetry::trace::SpanContext read(const headers& from);
[[nodiscard]] trace_position position_of(const opentelemetry::trace::SpanContext& context);
/// The other way round; one that is not valid when these are no ids.
[[nodiscard]] opentelemetry::trace::SpanContext context_at(const trace_position& position);

} // namespace ferry::telemetry
