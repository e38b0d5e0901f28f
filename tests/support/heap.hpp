#pragma once

#include <malloc.h>

#include <cstddef>

// There in a program built with AddressSanitizer, whose heap the C library knows nothing of.
extern "C" __attribute__((weak)) std::size_t
__sanitizer_get_current_allocated_bytes(); // NOLINT(bugprone-reserved-identifier)

namespace ferry::testing {

/// Bytes this program has allocated and not freed.
[[nodiscard]] inline std::size_t heap_in_use() {
    if (__sanitizer_get_current_allocated_bytes != nullptr) {
        return __sanitizer_get_current_allocated_bytes();
    }
    const struct mallinfo2 told = ::mallinfo2();
    return told.uordblks + told.hblkhd;
}

/// By how much the heap is larger after `action` was called that often; what the first calls leave behind stays out.
template <typename Action> [[nodiscard]] std::ptrdiff_t heap_growth_of(int times, Action&& action) {
    for (int i = 0; i < times / 10; ++i) {
        action();
    }
    const std::size_t before = heap_in_use();
    for (int i = 0; i < times; ++i) {
        action();
    }
    return static_cast<std::ptrdiff_t>(heap_in_use()) - static_cast<std::ptrdiff_t>(before);
}

} // namespace ferry::testing
