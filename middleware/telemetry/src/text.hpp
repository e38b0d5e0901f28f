#pragma once

#include <ferry/consumer.hpp>

#include <opentelemetry/common/attribute_value.h>
#include <opentelemetry/nostd/span.h>
#include <opentelemetry/nostd/string_view.h>

#include <string_view>
#include <utility>

namespace ferry::telemetry {

/// The same text, as OpenTelemetry's API takes it.
[[nodiscard]] inline opentelemetry::nostd::string_view text(std::string_view same) noexcept {
    return {same.data(), same.size()};
}

using attribute = std::pair<opentelemetry::nostd::string_view, opentelemetry::common::AttributeValue>;
using attribute_list = opentelemetry::nostd::span<const attribute>;

[[nodiscard]] inline attribute named(std::string_view name, std::string_view value) {
    return {text(name), text(value)};
}

[[nodiscard]] inline std::string_view name_of(const consumer* which) noexcept {
    return which == nullptr ? std::string_view{} : std::string_view{which->name()};
}

} // namespace ferry::telemetry
