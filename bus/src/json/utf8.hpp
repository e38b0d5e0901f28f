#pragma once

#include <cstddef>
#include <string_view>

namespace ferry {

/// How many bytes at the start of `text` are valid UTF-8: its size, or the place of the first bad one.
[[nodiscard]] std::size_t valid_utf8_prefix(std::string_view text) noexcept;

} // namespace ferry
