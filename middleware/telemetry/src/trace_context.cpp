#include "trace_context.hpp"

#include "text.hpp"

#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <span>

namespace ferry::telemetry {

namespace {

namespace trace = opentelemetry::trace;
namespace nostd = opentelemetry::nostd;

// version-traceid-spanid-flags: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
constexpr std::size_t trace_id_at = 3;
constexpr std::size_t span_id_at = trace_id_at + 32 + 1;
constexpr std::size_t flags_at = span_id_at + 16 + 1;
constexpr std::size_t whole = flags_at + 2;

using trace_digits = std::array<char, 32>;
using span_digits = std::array<char, 16>;

/// Lower-case hexadecimal digits, two for each byte.
bool read_digits(std::string_view digits, std::span<std::uint8_t> into) noexcept {
    for (std::size_t i = 0; i < into.size(); ++i) {
        const char* const first = digits.data() + 2 * i;
        const auto [end, failure] = std::from_chars(first, first + 2, into[i], 16);
        if (failure != std::errc{} || end != first + 2) {
            return false;
        }
    }
    return digits.find_first_of("ABCDEF") == std::string_view::npos;
}

template <std::size_t Size>
std::optional<std::array<std::uint8_t, Size>> bytes_at(std::string_view text, std::size_t at) {
    std::array<std::uint8_t, Size> bytes{};
    return read_digits(text.substr(at, 2 * Size), bytes) ? std::optional{bytes} : std::nullopt;
}

/// Later versions may be longer, behind another dash, and are read like this one; version ff does not exist.
bool has_form(std::string_view header) noexcept {
    return header.size() >= whole && header[trace_id_at - 1] == '-' && header[span_id_at - 1] == '-' &&
           header[flags_at - 1] == '-' &&
           (header.size() == whole || (!header.starts_with("00") && header[whole] == '-'));
}

} // namespace

void write(const trace::SpanContext& context, headers& into) {
    if (!context.IsValid()) {
        return;
    }
    std::array<char, whole> header{};
    header.fill('-');
    header[0] = header[1] = '0';
    context.trace_id().ToLowerBase16(nostd::span<char, 32>{&header[trace_id_at], 32});
    context.span_id().ToLowerBase16(nostd::span<char, 16>{&header[span_id_at], 16});
    context.trace_flags().ToLowerBase16(nostd::span<char, 2>{&header[flags_at], 2});
    into.set(traceparent, std::string_view{header.data(), header.size()});
    if (!context.trace_state()->Empty()) {
        into.set(tracestate, context.trace_state()->ToHeader());
    } else {
        into.erase(tracestate);
    }
}

trace::SpanContext read(const headers& from) {
    const std::string_view header = from.text(traceparent);
    if (!has_form(header)) {
        return trace::SpanContext::GetInvalid();
    }
    const auto version = bytes_at<1>(header, 0);
    const auto trace_id = bytes_at<16>(header, trace_id_at);
    const auto span_id = bytes_at<8>(header, span_id_at);
    const auto flags = bytes_at<1>(header, flags_at);
    if (!version || version->front() == 0xff || !trace_id || !span_id || !flags) {
        return trace::SpanContext::GetInvalid();
    }
    const std::string_view state = from.text(tracestate);
    return {trace::TraceId{nostd::span<const std::uint8_t, 16>{trace_id->data(), 16}},
            trace::SpanId{nostd::span<const std::uint8_t, 8>{span_id->data(), 8}},
            trace::TraceFlags{static_cast<std::uint8_t>(flags->front() & trace::TraceFlags::kIsSampled)}, true,
            state.empty() ? trace::TraceState::GetDefault() : trace::TraceState::FromHeader(text(state))};
}

trace_position position_of(const trace::SpanContext& context) {
    if (!context.IsValid()) {
        return {};
    }
    trace_digits trace_id{};
    span_digits span_id{};
    context.trace_id().ToLowerBase16(nostd::span<char, 32>{trace_id.data(), trace_id.size()});
    context.span_id().ToLowerBase16(nostd::span<char, 16>{span_id.data(), span_id.size()});
    return {.trace_id = {trace_id.data(), trace_id.size()}, .span_id = {span_id.data(), span_id.size()}};
}

trace::SpanContext context_at(const trace_position& position) {
    headers as_sent;
    as_sent.set(traceparent, "00-" + position.trace_id + "-" + position.span_id + "-01");
    return read(as_sent);
}

} // namespace ferry::telemetry
