#pragma once

#include "bus_core.hpp"

#include <ferry/pipeline_defaults.hpp>
#include <ferry/registration.hpp>

#include <memory>

namespace ferry {

/// Makes a bus out of what a user told the builder. Throws build_error with everything that is wrong.
[[nodiscard]] std::unique_ptr<bus_core> assemble(bus_registration registration, const pipeline_defaults& defaults);

} // namespace ferry
