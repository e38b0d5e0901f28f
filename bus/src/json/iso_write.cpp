#include "iso_time.hpp"

#include <charconv>
#include <chrono>

namespace ferry {

namespace {

char* write_digits(char* out, std::uint64_t value, int count) noexcept {
    for (char* place = out + count; place != out; value /= 10) {
        *--place = static_cast<char>('0' + value % 10);
    }
    return out + count;
}

char* write_pair(char* out, std::uint64_t value, char after) noexcept {
    out = write_digits(out, value, 2);
    *out = after;
    return out + 1;
}

/// Writes as much of the fraction as says something, and nothing when there is none.
char* write_fraction(char* out, std::int64_t nanos) noexcept {
    if (nanos == 0) {
        return out;
    }
    *out = '.';
    out = write_digits(out + 1, static_cast<std::uint64_t>(nanos), 9);
    while (out[-1] == '0') {
        --out;
    }
    return out;
}

char* write_date(char* out, std::chrono::year_month_day date) noexcept {
    out = write_digits(out, static_cast<std::uint64_t>(int{date.year()}), 4);
    *out++ = '-';
    out = write_pair(out, unsigned{date.month()}, '-');
    return write_pair(out, unsigned{date.day()}, 'T');
}

} // namespace

bool is_iso_time(iso_seconds since_1970) noexcept {
    using namespace std::chrono;
    constexpr sys_seconds first = sys_days{year{0} / January / 1};
    constexpr sys_seconds end = sys_days{year{10'000} / January / 1};
    const sys_seconds moment{seconds{since_1970.seconds}};
    return first <= moment && moment < end;
}

char* write_iso_time(char* out, iso_seconds since_1970) noexcept {
    using namespace std::chrono;
    if (!is_iso_time(since_1970)) {
        return nullptr;
    }
    const sys_seconds moment{seconds{since_1970.seconds}};
    const auto day = floor<days>(moment);
    const auto second = static_cast<std::uint64_t>((moment - day).count());
    out = write_date(out, year_month_day{day});
    out = write_pair(out, second / 3600, ':');
    out = write_pair(out, second / 60 % 60, ':');
    out = write_digits(out, second % 60, 2);
    out = write_fraction(out, since_1970.nanos);
    *out = 'Z';
    return out + 1;
}

char* write_iso_duration(char* out, iso_seconds value) noexcept {
    auto seconds = static_cast<std::uint64_t>(value.seconds);
    if (value.seconds < 0) {
        *out++ = '-';
        seconds = 0 - seconds;
        if (value.nanos > 0) { // they count upwards, and are taken from the last of the seconds
            --seconds;
            value.nanos = 1'000'000'000 - value.nanos;
        }
    }
    *out++ = 'P';
    *out++ = 'T';
    out = std::to_chars(out, out + 20, seconds).ptr;
    out = write_fraction(out, value.nanos);
    *out = 'S';
    return out + 1;
}

} // namespace ferry
