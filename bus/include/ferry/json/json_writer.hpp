#pragma once

#include <ferry/buffer.hpp>
#include <ferry/json/json_path.hpp>
#include <ferry/json/json_policy.hpp>
#include <ferry/uuid.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace ferry {

/// Writes JSON straight into a buffer. It knows values, not types: `json_format` says which values a type consists of,
/// and puts the commas and brackets between them.
class json_writer {
public:
    explicit json_writer(buffer& out, const json_policy& policy = {});
    json_writer(const json_writer&) = delete;
    json_writer& operator=(const json_writer&) = delete;

    void put(char c) { *room(1) = c, ++at_; }
    /// Writes text that is JSON already.
    template <std::size_t Size> void literal(const std::array<char, Size>& text) {
        std::memcpy(room(Size), text.data(), Size);
        at_ += Size;
    }
    void literal(std::string_view text) {
        if (!text.empty()) {
            std::memcpy(room(text.size()), text.data(), text.size());
            at_ += text.size();
        }
    }

    void write_null() { literal("null"); }
    void write_bool(bool value) { literal(value ? std::string_view{"true"} : std::string_view{"false"}); }
    void write_signed(std::int64_t value);
    void write_unsigned(std::uint64_t value);
    void write_float(float value);
    void write_double(double value);
    void write_string(std::string_view text);
    void write_uuid(const uuid& id);
    void write_base64(std::span<const std::byte> bytes);
    /// A moment, as `count` ticks of `numerator / denominator` seconds since 1970.
    void write_time(std::int64_t count, std::int64_t numerator, std::int64_t denominator);
    void write_duration(std::int64_t count, std::int64_t numerator, std::int64_t denominator);

    /// Goes one level deeper; the caller keeps `step` up to date with where it is, until it leaves again.
    void enter(json_step& step) {
        if (++depth_ > policy_.max_depth) [[unlikely]] {
            fail_depth();
        }
        step.outer = place_;
        place_ = &step;
    }
    void leave(const json_step& step) noexcept {
        place_ = step.outer;
        --depth_;
    }

    /// Hands what was written over to the buffer.
    void finish();
    /// Throws an encode_error that names the current place.
    [[noreturn]] void fail(const std::string& reason) const;

private:
    char* room(std::size_t count) {
        if (static_cast<std::size_t>(end_ - at_) < count) [[unlikely]] {
            grow(count);
        }
        return at_;
    }
    void grow(std::size_t count);
    std::size_t write_plain(std::string_view text, bool& beyond_ascii);
    [[noreturn]] void fail_depth() const;

    buffer& out_;
    char* at_;
    char* end_;
    const json_step* place_ = nullptr;
    std::size_t depth_ = 0;
    std::size_t start_;
    const json_policy policy_;
};

} // namespace ferry
