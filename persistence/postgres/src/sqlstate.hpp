#pragma once

#include <string_view>

namespace ferry::postgres {

/// Whether a statement that ended with this SQLSTATE may succeed when it is tried again.
[[nodiscard]] bool is_transient_state(std::string_view sqlstate) noexcept;

} // namespace ferry::postgres
