#pragma once

#include <exception>
#include <string>

namespace ferry {

/// What people and other services are told of an exception.
struct exception_summary {
    std::string type; ///< its C++ type, readable
    std::string text; ///< what it says, as UTF-8, so that it can be put into any message
};

[[nodiscard]] exception_summary summary_of(const std::exception_ptr& thrown);

} // namespace ferry
