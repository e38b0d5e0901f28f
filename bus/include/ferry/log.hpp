#pragma once

#include <functional>
#include <string_view>

namespace ferry {

enum class log_level : unsigned char { debug, info, warning, error };

[[nodiscard]] std::string_view to_string(log_level level) noexcept;

/// Takes one line at a time, from any thread. It must not throw, and must not start or stop the bus it listens to.
using log_function = std::function<void(log_level, std::string_view)>;

/// Writes warnings and errors to standard error: what a bus does when it is told nothing else.
[[nodiscard]] log_function log_to_stderr();

} // namespace ferry
