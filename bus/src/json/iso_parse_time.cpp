#include "iso_cursor.hpp"
#include "iso_time.hpp"

#include <chrono>

namespace ferry {

namespace {

std::optional<std::int64_t> take_day(iso_cursor& in) noexcept {
    using namespace std::chrono;
    const auto y = in.take_number(4);
    const bool first_dash = in.take('-');
    const auto m = in.take_number(2);
    const bool second_dash = in.take('-');
    const auto d = in.take_number(2);
    if (y < 0 || !first_dash || m < 0 || !second_dash || d < 0) {
        return std::nullopt;
    }
    const year_month_day date{year{static_cast<int>(y)}, month{static_cast<unsigned>(m)},
                              day{static_cast<unsigned>(d)}};
    return date.ok() ? std::optional{std::int64_t{sys_days{date}.time_since_epoch().count()}} : std::nullopt;
}

std::optional<std::int64_t> take_second_of_day(iso_cursor& in) noexcept {
    const auto hour = in.take_number(2);
    const bool first_colon = in.take(':');
    const auto minute = in.take_number(2);
    const bool second_colon = in.take(':');
    const auto second = in.take_number(2);
    const bool spelt = hour >= 0 && first_colon && minute >= 0 && second_colon && second >= 0;
    return spelt && hour < 24 && minute < 60 && second < 60 ? std::optional{hour * 3600 + minute * 60 + second}
                                                            : std::nullopt;
}

/// Seconds east of Greenwich: "Z", "+01:00", "+0100" or "+01".
std::optional<std::int64_t> take_offset(iso_cursor& in) noexcept {
    if (in.take('Z', 'z')) {
        return 0;
    }
    const bool east = in.take('+');
    if (!east && !in.take('-')) {
        return std::nullopt;
    }
    const auto hours = in.take_number(2);
    const bool colon = in.take(':');
    const auto minutes = colon || in.at_digit() ? in.take_number(2) : 0;
    if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59) {
        return std::nullopt;
    }
    return (hours * 3600 + minutes * 60) * (east ? 1 : -1);
}

} // namespace

std::optional<iso_seconds> parse_iso_time(std::string_view text) noexcept {
    iso_cursor in{text};
    const auto day = take_day(in);
    if (!day || !in.take('T', 't', ' ')) {
        return std::nullopt;
    }
    const auto second = take_second_of_day(in);
    const std::int64_t nanos = in.take('.', ',') ? in.take_fraction() : 0;
    const auto offset = take_offset(in);
    if (!second || nanos < 0 || !offset || !in.done()) {
        return std::nullopt;
    }
    const iso_seconds moment{*day * 86'400 + *second - *offset, nanos};
    return is_iso_time(moment) ? std::optional{moment} : std::nullopt; // an offset may lead out of the years it can say
}

} // namespace ferry
