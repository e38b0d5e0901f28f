#pragma once

#include <cstdint>

namespace ferry::benchmarks {

/// How often this thread has called operator new since the program began.
[[nodiscard]] std::uint64_t allocations() noexcept;

} // namespace ferry::benchmarks
