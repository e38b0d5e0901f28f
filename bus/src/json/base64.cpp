#include "base64.hpp"

#include <ferry/json/json_bytes.hpp>

#include <array>
#include <cstdint>

namespace ferry {

namespace {

constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t not_a_digit = 0x80; // digits have six bits

consteval auto make_digits() noexcept {
    std::array<std::uint8_t, 256> digits{};
    digits.fill(not_a_digit);
    for (std::size_t value = 0; value < alphabet.size(); ++value) {
        digits[static_cast<unsigned char>(alphabet[value])] = static_cast<std::uint8_t>(value);
    }
    return digits;
}

constexpr auto digits = make_digits();

std::uint32_t byte_at(std::span<const std::byte> bytes, std::size_t index) noexcept {
    return index < bytes.size() ? std::to_integer<std::uint32_t>(bytes[index]) : 0;
}

std::uint32_t digit_at(std::string_view text, std::size_t index) noexcept {
    return digits[static_cast<unsigned char>(text[index])];
}

std::byte low_byte(std::uint32_t value) noexcept { return static_cast<std::byte>(value & 0xff); }

/// The last group, which stands for one byte ("QQ==") or two ("QUI="). Bits that no byte would use must be zero, so
/// that a run of bytes has one spelling only.
bool decode_tail(std::string_view group, std::byte* out) noexcept {
    const bool two = group[2] != '=';
    const std::uint32_t a = digit_at(group, 0), b = digit_at(group, 1), c = two ? digit_at(group, 2) : 0;
    const std::uint32_t bits = a << 18 | b << 12 | c << 6;
    if (((a | b | c) & not_a_digit) != 0 || (bits & (two ? 0xff : 0xffff)) != 0) {
        return false;
    }
    out[0] = low_byte(bits >> 16);
    if (two) {
        out[1] = low_byte(bits >> 8);
    }
    return true;
}

} // namespace

void base64_encode(std::span<const std::byte> bytes, char* out) noexcept {
    for (std::size_t at = 0; at < bytes.size(); at += 3, out += 4) {
        const std::uint32_t group = byte_at(bytes, at) << 16 | byte_at(bytes, at + 1) << 8 | byte_at(bytes, at + 2);
        out[0] = alphabet[group >> 18];
        out[1] = alphabet[group >> 12 & 63];
        out[2] = at + 1 < bytes.size() ? alphabet[group >> 6 & 63] : '=';
        out[3] = at + 2 < bytes.size() ? alphabet[group & 63] : '=';
    }
}

std::optional<std::size_t> base64_size(std::string_view text) noexcept {
    if (text.size() % 4 != 0) {
        return std::nullopt;
    }
    const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
    return text.size() / 4 * 3 - padding;
}

bool base64_decode(std::string_view text, std::byte* out) noexcept {
    const std::size_t whole = text.ends_with('=') ? text.size() - 4 : text.size();
    for (std::size_t at = 0; at < whole; at += 4) {
        const std::uint32_t a = digit_at(text, at), b = digit_at(text, at + 1);
        const std::uint32_t c = digit_at(text, at + 2), d = digit_at(text, at + 3);
        if (((a | b | c | d) & not_a_digit) != 0) {
            return false;
        }
        const std::uint32_t group = a << 18 | b << 12 | c << 6 | d;
        *out++ = low_byte(group >> 16);
        *out++ = low_byte(group >> 8);
        *out++ = low_byte(group);
    }
    return whole == text.size() || decode_tail(text.substr(whole), out);
}

} // namespace ferry
