#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace ferry {

/// A number of seconds that may have a fraction; `nanos` counts upwards also below zero.
struct iso_seconds {
    std::int64_t seconds;
    std::int64_t nanos;
};

/// Seconds from ticks of `numerator / denominator` seconds, and back; nothing when they do not fit.
[[nodiscard]] std::optional<iso_seconds> from_ticks(std::int64_t count, std::int64_t numerator,
                                                    std::int64_t denominator);
[[nodiscard]] std::optional<std::int64_t> to_ticks(iso_seconds value, std::int64_t numerator, std::int64_t denominator);

/// The room that the longest time or duration takes.
inline constexpr std::size_t iso_room = 48;

/// Whether the moment lies in the years 0 to 9999, which is all that ISO 8601 text can say.
[[nodiscard]] bool is_iso_time(iso_seconds since_1970) noexcept;

/// Writes "2026-11-16T03:52:00.5Z" and returns its end; null when it is no ISO time.
[[nodiscard]] char* write_iso_time(char* out, iso_seconds since_1970) noexcept;
/// Writes "PT90.5S" and returns its end.
[[nodiscard]] char* write_iso_duration(char* out, iso_seconds value) noexcept;

[[nodiscard]] std::optional<iso_seconds> parse_iso_time(std::string_view text) noexcept;
[[nodiscard]] std::optional<iso_seconds> parse_iso_duration(std::string_view text) noexcept;

} // namespace ferry
