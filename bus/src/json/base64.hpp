#pragma once

#include <cstddef>
#include <span>

namespace ferry {

[[nodiscard]] constexpr std::size_t base64_room(std::size_t bytes) noexcept { return (bytes + 2) / 3 * 4; }

/// Writes `base64_room(bytes.size())` characters to `out`.
void base64_encode(std::span<const std::byte> bytes, char* out) noexcept;

} // namespace ferry
