#include <ferry/log.hpp>

#include <array>
#include <cstdio>

namespace ferry {

std::string_view to_string(log_level level) noexcept {
    static constexpr std::array<std::string_view, 4> names{"debug", "info", "warning", "error"};
    return names[static_cast<std::size_t>(level)];
}

log_function log_to_stderr() {
    return [](log_level level, std::string_view text) {
        if (level >= log_level::warning) {
            const std::string_view name = to_string(level);
            std::fprintf(stderr, "ferry %.*s: %.*s\n", static_cast<int>(name.size()), name.data(),
                         static_cast<int>(text.size()), text.data());
        }
    };
}

} // namespace ferry
