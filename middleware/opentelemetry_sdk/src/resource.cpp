#include <ferry/opentelemetry_sdk/resource.hpp>
#include <ferry/uuid.hpp>

#include <opentelemetry/sdk/resource/resource_detector.h>

namespace ferry::opentelemetry_sdk {

namespace sdk = opentelemetry::sdk::resource;

// What Resource::Create is given counts more than what it reads, which are the variables when it was first called.
sdk::Resource resource_of(const std::string& service) {
    const sdk::ResourceAttributes said = sdk::OTELResourceDetector{}.Detect().GetAttributes();
    sdk::ResourceAttributes own = said;
    if (!said.contains("service.name")) {
        own.SetAttribute("service.name", opentelemetry::nostd::string_view{service});
    }
    if (!said.contains("service.instance.id")) {
        const std::string instance = id_source{}.next(clock{}()).to_string();
        own.SetAttribute("service.instance.id", opentelemetry::nostd::string_view{instance});
    }
    return sdk::Resource::Create(own);
}

} // namespace ferry::opentelemetry_sdk
