#pragma once

#include <opentelemetry/sdk/resource/resource.h>

#include <string>

namespace ferry::opentelemetry_sdk {

/// Who tells: OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES, and what those leave open from the bus.
[[nodiscard]] opentelemetry::sdk::resource::Resource resource_of(const std::string& service);

} // namespace ferry::opentelemetry_sdk
