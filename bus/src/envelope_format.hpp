#pragma once

#include <ferry/envelope.hpp>

#include <cstddef>
#include <string_view>

namespace ferry::envelope_format {

/// How many bytes `write` needs for this envelope.
[[nodiscard]] std::size_t size_of(const envelope& content);
/// Writes exactly `size_of(content)` bytes.
void write(const envelope& content, char* out);
/// Reads what `write` wrote, or what a newer ferry with more fields did. Throws envelope_error.
void read(std::string_view bytes, envelope& content);

} // namespace ferry::envelope_format
