#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace ferry {

/// What a block of text holds: a mask with a bit (or more) set at the first byte that JSON wants escaped, and whether
/// there is anything beyond ASCII.
struct escape_block {
    std::uint64_t escapes;
    std::uint64_t beyond_ascii;
};

#if defined(__SSE2__)

inline constexpr std::size_t escape_block_size = 16;
inline constexpr unsigned escape_bits_a_byte = 1;

inline escape_block scan_block(const char* text) noexcept {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text));
    const __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x1f)), bytes);
    const __m128i quote = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"'));
    const __m128i backslash = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'));
    const __m128i escapes = _mm_or_si128(control, _mm_or_si128(quote, backslash));
    return {static_cast<std::uint32_t>(_mm_movemask_epi8(escapes)),
            static_cast<std::uint32_t>(_mm_movemask_epi8(bytes))};
}

#else

static_assert(std::endian::native == std::endian::little, "the first byte must be the lowest one");

inline constexpr std::size_t escape_block_size = 8;
inline constexpr unsigned escape_bits_a_byte = 8;

inline escape_block scan_block(const char* text) noexcept {
    constexpr std::uint64_t ones = 0x0101010101010101, tops = 0x8080808080808080;
    const auto zero_bytes = [](std::uint64_t word) { return (word - ones) & ~word & tops; };
    std::uint64_t bytes;
    std::memcpy(&bytes, text, sizeof bytes);
    const std::uint64_t control = (bytes - ones * 0x20) & ~bytes & tops;
    return {control | zero_bytes(bytes ^ ones * '"') | zero_bytes(bytes ^ ones * '\\'), bytes & tops};
}

#endif

/// How many bytes at the start of `text` need no escaping. A whole block behind the end must be readable.
inline std::size_t plain_prefix(const char* text, std::size_t size, bool& beyond_ascii) noexcept {
    for (std::size_t at = 0; at < size; at += escape_block_size) {
        escape_block block = scan_block(text + at);
        if (const std::size_t left = size - at; left < escape_block_size) {
            const std::uint64_t inside = (std::uint64_t{1} << left * escape_bits_a_byte) - 1;
            block.escapes &= inside;
            block.beyond_ascii &= inside;
        }
        beyond_ascii |= block.beyond_ascii != 0;
        if (block.escapes != 0) {
            return at + static_cast<unsigned>(std::countr_zero(block.escapes)) / escape_bits_a_byte;
        }
    }
    return size;
}

} // namespace ferry
