#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ferry {

/// The part of a time or duration that is left to read.
class iso_cursor {
public:
    explicit iso_cursor(std::string_view text) noexcept : rest_{text} {}

    [[nodiscard]] bool done() const noexcept { return rest_.empty(); }
    [[nodiscard]] bool at_digit() const noexcept { return !done() && rest_[0] >= '0' && rest_[0] <= '9'; }

    template <typename... Char> bool take(Char... one_of) noexcept {
        if (done() || ((rest_[0] != one_of) && ...)) {
            return false;
        }
        rest_.remove_prefix(1);
        return true;
    }

    std::int64_t take_digit() noexcept {
        const int digit = rest_[0] - '0';
        rest_.remove_prefix(1);
        return digit;
    }

    /// Exactly `count` digits, or -1.
    std::int64_t take_number(int count) noexcept {
        std::int64_t value = 0;
        for (; count > 0; --count) {
            if (!at_digit()) {
                return -1;
            }
            value = value * 10 + take_digit();
        }
        return value;
    }

    /// The digits behind a decimal point, in nanoseconds; what is finer is dropped. -1 when there is none.
    std::int64_t take_fraction() noexcept {
        if (!at_digit()) {
            return -1;
        }
        std::int64_t nanos = 0;
        for (std::int64_t unit = 100'000'000; at_digit(); unit /= 10) {
            nanos += take_digit() * unit;
        }
        return nanos;
    }

private:
    std::string_view rest_;
};

} // namespace ferry
