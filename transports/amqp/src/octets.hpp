#pragma once

#include <ferry/buffer.hpp>
#include <ferry/packed_envelope.hpp>

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

namespace ferry::amqp {

/// What a length of one octet can say: names, routing keys and most properties may have no more bytes.
inline constexpr std::size_t longest_short_text = 255;

/// A number with its most significant octet first, as AMQP has them all; the way back is the same.
template <std::unsigned_integral Number> [[nodiscard]] constexpr Number network_order(Number value) noexcept {
    return std::endian::native == std::endian::little ? std::byteswap(value) : value;
}

template <std::integral Number> void put(buffer& out, Number value) {
    const auto octets = network_order(static_cast<std::make_unsigned_t<Number>>(value));
    std::memcpy(out.extend(sizeof octets), &octets, sizeof octets);
}

/// Writes a number over the one at `offset`: for lengths, which are known last and stand first.
template <std::unsigned_integral Number> void put_at(buffer& out, std::size_t offset, Number value) {
    const Number octets = network_order(value);
    std::memcpy(out.data() + offset, &octets, sizeof octets);
}

/// Writes a text that has at most `longest_short_text` bytes.
inline void put_short_text(buffer& out, std::string_view text) {
    put(out, static_cast<std::uint8_t>(text.size()));
    out.append(text);
}

inline void put_long_text(buffer& out, std::string_view text) {
    put(out, static_cast<std::uint32_t>(text.size()));
    out.append(text);
}

/// A part of the output that begins with its length: leaves room for it, and fills it in when the part is closed.
class sized_part {
public:
    explicit sized_part(buffer& out) : out_{out}, begin_{out.size() + sizeof(std::uint32_t)} {
        put(out, std::uint32_t{0});
    }
    void close() noexcept { put_at(out_, begin_ - sizeof(std::uint32_t), static_cast<std::uint32_t>(size())); }
    [[nodiscard]] std::size_t size() const noexcept { return out_.size() - begin_; }

private:
    buffer& out_;
    std::size_t begin_;
};

/// Walks over octets that may be anything: every step checks that there is enough left, or throws envelope_error.
class octet_reader {
public:
    explicit octet_reader(std::string_view octets) noexcept : rest_{octets} {}

    [[nodiscard]] bool done() const noexcept { return rest_.empty(); }
    std::string_view take(std::size_t count) {
        if (count > rest_.size()) {
            throw envelope_error{"its properties end in the middle of a value"};
        }
        const std::string_view taken = rest_.substr(0, count);
        rest_.remove_prefix(count);
        return taken;
    }
    template <std::integral Number> Number number() {
        std::make_unsigned_t<Number> octets{};
        take(sizeof octets).copy(reinterpret_cast<char*>(&octets), sizeof octets);
        return static_cast<Number>(network_order(octets));
    }
    std::string_view short_text() { return take(number<std::uint8_t>()); }
    std::string_view long_text() { return take(number<std::uint32_t>()); }

private:
    std::string_view rest_;
};

} // namespace ferry::amqp
