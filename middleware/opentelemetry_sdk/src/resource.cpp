#include <ferry/opentelemetry_sdk/resource.hpp>
#include <ferry/uuid.hpp>

#include <opentelemetry/sdk/resource/resource_detector.h>

namespace ferry::opentelemetry_sdk {

namespace sdk_resource = opentelemetry::sdk::resource;

// What Resource::Create is given counts more than what it reads, which are the variables when it was first called.
sdk_resource::Resource resource_of(const std::string& service) {
    const sdk_resource::ResourceAttributes said = sdk_resource::OTELResourceDetector{}.Detect().GetAttributes();
    sdk_resource::ResourceAttributes own = said;
    if (!said.contains("service.name")) {
        own.SetAttribute("service.name", opentelemetry::nostd::string_view{service});
    }
    if (!said.contains("service.instance.id")) {
        const std::string instance = id_source{}.next(clock{}()).to_string();
        own.SetAttribute("service.instance.id", opentelemetry::nostd::string_view{instance});
    }
    return sdk_resource::Resource::Create(own);
}

} // namespace ferry::opentelemetry_sdk
