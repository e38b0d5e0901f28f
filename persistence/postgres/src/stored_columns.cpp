#include "stored_columns.hpp"

#include <algorithm>

namespace ferry::postgres {

namespace {

constexpr std::size_t longest_text = 8192;

std::size_t sequence_length(unsigned char first) noexcept {
    if (first < 0x80) {
        return 1;
    }
    if (first >= 0xc2 && first < 0xe0) {
        return 2;
    }
    if (first >= 0xe0 && first < 0xf0) {
        return 3;
    }
    return first >= 0xf0 && first < 0xf5 ? 4 : 0;
}

// Beside the lengths, UTF-8 forbids long forms, surrogates and what lies beyond Unicode: all shows in the second byte.
bool second_byte_fits(unsigned char first, unsigned char second) noexcept {
    switch (first) {
    case 0xe0:
        return second >= 0xa0;
    case 0xed:
        return second < 0xa0;
    case 0xf0:
        return second >= 0x90;
    case 0xf4:
        return second < 0x90;
    default:
        return true;
    }
}

/// The length of the valid character at the beginning; 0 when there is none.
std::size_t valid_character(std::string_view text) noexcept {
    const auto first = static_cast<unsigned char>(text.front());
    const std::size_t length = first == 0 ? 0 : sequence_length(first);
    if (length == 0 || length > text.size()) {
        return 0;
    }
    const bool continues = std::ranges::all_of(
        text.substr(1, length - 1), [](char each) { return (static_cast<unsigned char>(each) & 0xc0U) == 0x80U; });
    return continues && (length == 1 || second_byte_fits(first, static_cast<unsigned char>(text[1]))) ? length : 0;
}

} // namespace

parameters stored_columns(std::span<const stored_message> messages) {
    parameters columns;
    columns.array(element::id, messages, [](const auto& each) { return each.id; })
        .array(element::text, messages, [](const auto& each) { return std::string_view{each.destination}; })
        .array(element::text, messages, [](const auto& each) { return std::string_view{each.message_type}; })
        .array(element::text, messages, [](const auto& each) { return std::string_view{each.partition_key}; })
        .array(element::small, messages,
               [](const auto& each) {
                   const std::optional<int> shard = shard_of(each.partition_key);
                   return shard ? std::optional{static_cast<std::int16_t>(*shard)} : std::nullopt;
               })
        .array(element::text, messages, [](const auto& each) { return std::string_view{each.tenant}; })
        .array(element::bytes, messages, [](const auto& each) { return each.content.bytes(); })
        .array(element::number, messages, [](const auto& each) { return each.created_at; })
        .array(element::number, messages, [](const auto& each) { return each.due; });
    return columns;
}

std::string storable_text(std::string_view text) {
    std::string storable;
    while (!text.empty() && storable.size() < longest_text) {
        const std::size_t length = valid_character(text);
        storable += length == 0 ? std::string_view{"?"} : text.substr(0, length);
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return storable;
}

} // namespace ferry::postgres
