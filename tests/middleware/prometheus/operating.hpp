#pragma once

#include <string>

/// The files in docs/operating, made from the names of the metrics.
namespace ferry::operating {

[[nodiscard]] std::string dashboard();
[[nodiscard]] std::string alerts();

} // namespace ferry::operating
