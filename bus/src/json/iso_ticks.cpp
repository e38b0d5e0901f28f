#include "iso_time.hpp"

#include <limits>

namespace ferry {

namespace {

// Products of ticks and seconds pass 64 bits on the way to a result that fits.
__extension__ using wide = __int128;

constexpr std::int64_t nanos_a_second = 1'000'000'000;

wide floor_divide(wide value, wide by) noexcept { return value / by - (value % by < 0 ? 1 : 0); }

bool fits(wide value) noexcept {
    return value >= std::numeric_limits<std::int64_t>::min() && value <= std::numeric_limits<std::int64_t>::max();
}

} // namespace

std::optional<iso_seconds> from_ticks(std::int64_t count, std::int64_t numerator, std::int64_t denominator) {
    const wide parts = static_cast<wide>(count) * numerator;
    const wide seconds = floor_divide(parts, denominator);
    if (!fits(seconds)) {
        return std::nullopt;
    }
    const auto rest = static_cast<std::int64_t>(parts - seconds * denominator);
    return iso_seconds{static_cast<std::int64_t>(seconds), rest * (nanos_a_second / denominator)};
}

std::optional<std::int64_t> to_ticks(iso_seconds value, std::int64_t numerator, std::int64_t denominator) {
    const wide parts = static_cast<wide>(value.seconds) * denominator + value.nanos / (nanos_a_second / denominator);
    const wide count = floor_divide(parts, numerator);
    return fits(count) ? std::optional{static_cast<std::int64_t>(count)} : std::nullopt;
}

} // namespace ferry
