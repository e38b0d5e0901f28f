#pragma once

#include <ferry/json/json_format.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace ferry {

/// How many bytes the base64 text stands for; nothing when it cannot be base64.
[[nodiscard]] std::optional<std::size_t> base64_size(std::string_view text) noexcept;
/// Writes those bytes to `out`; false when the text is not base64 after all.
[[nodiscard]] bool base64_decode(std::string_view text, std::byte* out) noexcept;

/// Reads base64 into what `allocate(size)` returns.
template <typename Allocate> void read_base64(json_reader& in, const Allocate& allocate) {
    const std::string_view text = in.read_string();
    const auto size = base64_size(text);
    if (!size || !base64_decode(text, allocate(*size))) {
        in.fail("expected base64 text, found other text");
    }
}

template <> struct json_format<std::vector<std::byte>> {
    static void write(json_writer& out, const std::vector<std::byte>& bytes) { out.write_base64(bytes); }
    static void read(json_reader& in, std::vector<std::byte>& bytes) {
        read_base64(in, [&](std::size_t size) {
            bytes.resize(size);
            return bytes.data();
        });
    }
};

template <> struct json_format<buffer> {
    static void write(json_writer& out, const buffer& bytes) { out.write_base64(bytes.bytes()); }
    static void read(json_reader& in, buffer& bytes) {
        read_base64(in, [&](std::size_t size) {
            bytes.clear();
            return reinterpret_cast<std::byte*>(bytes.extend(size));
        });
    }
};

} // namespace ferry
