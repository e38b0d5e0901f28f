#pragma once

#include <opentelemetry/nostd/string_view.h>

#include <string_view>

namespace ferry::telemetry {

/// The same text, as OpenTelemetry's API takes it.
[[nodiscard]] inline opentelemetry::nostd::string_view text(std::string_view same) noexcept {
    return {same.data(), same.size()};
}

} // namespace ferry::telemetry
