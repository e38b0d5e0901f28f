#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ferry {

/// How many bytes at the start of `text` are valid UTF-8: its size, or the place of the first bad one.
[[nodiscard]] std::size_t valid_utf8_prefix(std::string_view text) noexcept;
/// The text with a question mark for every byte that is not valid UTF-8.
[[nodiscard]] std::string repaired_utf8(std::string_view text);

} // namespace ferry
