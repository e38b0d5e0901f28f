#include "utf8.hpp"

#include <simdjson.h>

#include <algorithm>

namespace ferry {

namespace {

constexpr std::size_t longest_character = 4;

/// The length of the valid character at the start of `text`, or 0.
std::size_t character_size(std::string_view text) noexcept {
    for (std::size_t size = 1; size <= std::min(longest_character, text.size()); ++size) {
        if (simdjson::validate_utf8(text.substr(0, size))) {
            return size;
        }
    }
    return 0;
}

} // namespace

std::size_t valid_utf8_prefix(std::string_view text) noexcept {
    std::size_t at = 0;
    while (at < text.size()) {
        const std::size_t size = character_size(text.substr(at));
        if (size == 0) {
            break;
        }
        at += size;
    }
    return at;
}

std::string repaired_utf8(std::string_view text) {
    std::string repaired{text};
    for (std::size_t at = valid_utf8_prefix(text); at < text.size(); at += 1 + valid_utf8_prefix(text.substr(at + 1))) {
        repaired[at] = '?';
    }
    return repaired;
}

} // namespace ferry
