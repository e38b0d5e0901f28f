#pragma once

#include <ferry/time.hpp>

#include <array>
#include <atomic>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace ferry {

/// A UUID: 16 bytes inside, the usual 36 characters at the edge.
class uuid {
public:
    static constexpr std::size_t text_size = 36;

    constexpr uuid() noexcept = default;
    constexpr explicit uuid(const std::array<std::uint8_t, 16>& bytes) noexcept : bytes_{bytes} {}

    /// Reads the 36-character form, in either case; nothing else is a UUID.
    [[nodiscard]] static std::optional<uuid> parse(std::string_view text) noexcept;

    [[nodiscard]] constexpr const std::array<std::uint8_t, 16>& bytes() const noexcept { return bytes_; }
    [[nodiscard]] constexpr bool is_nil() const noexcept { return *this == uuid{}; }
    [[nodiscard]] int version() const noexcept { return bytes_[6] >> 4; }
    /// When an id of version 7 was made, as exactly as those of an id_source tell it; nothing for any other.
    [[nodiscard]] std::optional<time_point> time() const noexcept;

    [[nodiscard]] std::string to_string() const;
    /// Writes `text_size` characters to `out`.
    void write(char* out) const noexcept;

    friend constexpr auto operator<=>(const uuid&, const uuid&) noexcept = default;

private:
    std::array<std::uint8_t, 16> bytes_{};
};

/// Makes UUIDs of version 7: they sort by the time they were made, which keeps the indexes of stores dense. Ids from
/// one source never repeat and never go back, whichever threads ask and whatever the clock does.
class id_source {
public:
    id_source();
    explicit id_source(std::uint64_t seed) noexcept : seed_{seed} {}

    [[nodiscard]] uuid next(time_point now) noexcept;
    /// What an id tells that is made at that moment: the moment to a quarter of a microsecond.
    [[nodiscard]] static time_point told(time_point now) noexcept;

private:
    std::uint64_t seed_;
    std::atomic<std::uint64_t> last_{0}; // milliseconds since 1970, then 12 bits for the part of one
    std::atomic<std::uint64_t> count_{0};
};

} // namespace ferry

template <> struct std::hash<ferry::uuid> {
    std::size_t operator()(const ferry::uuid& id) const noexcept {
        std::uint64_t halves[2];
        __builtin_memcpy(halves, id.bytes().data(), sizeof halves);
        return static_cast<std::size_t>(halves[0] ^ (halves[1] * 0x9e3779b97f4a7c15ULL));
    }
};
