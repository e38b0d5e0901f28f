#include "iso_cursor.hpp"
#include "iso_time.hpp"

#include <limits>

namespace ferry {

namespace {

/// Reads "P1DT2H3M4.5S" part by part. A number is read before it is known what it counts, and waits for its unit.
class duration_parser {
public:
    explicit duration_parser(std::string_view text) noexcept : in_{text} {}

    std::optional<iso_seconds> parse() noexcept {
        const bool negative = in_.take('-');
        const bool spelt = in_.take('P') && take_days() && take_time();
        return spelt && in_.done() && parts_ > 0 ? signed_total(negative) : std::nullopt;
    }

private:
    bool take_days() noexcept { return fetch() && take_part('D', 86'400) && !waiting_; }

    bool take_time() noexcept {
        if (!in_.take('T')) {
            return true;
        }
        return in_.at_digit() && fetch() && take_part('H', 3'600) && take_part('M', 60) && take_part('S', 1) &&
               !waiting_;
    }

    bool fetch() noexcept {
        waiting_ = in_.at_digit();
        count_ = 0;
        while (in_.at_digit()) {
            if (__builtin_mul_overflow(count_, 10U, &count_) ||
                __builtin_add_overflow(count_, static_cast<std::uint64_t>(in_.take_digit()), &count_)) {
                return false;
            }
        }
        fraction_ = waiting_ && in_.take('.', ',');
        nanos_ = fraction_ ? in_.take_fraction() : 0;
        return nanos_ >= 0;
    }

    bool take_part(char name, std::uint64_t seconds) noexcept {
        if (!waiting_ || !in_.take(name)) {
            return true;
        }
        if ((fraction_ && seconds > 1) || __builtin_mul_overflow(count_, seconds, &count_) ||
            __builtin_add_overflow(seconds_, count_, &seconds_)) {
            return false;
        }
        total_nanos_ = nanos_;
        ++parts_;
        return fetch();
    }

    [[nodiscard]] std::optional<iso_seconds> signed_total(bool negative) const noexcept {
        constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
        if (seconds_ > most) {
            const bool least = negative && seconds_ == most + 1 && total_nanos_ == 0;
            return least ? std::optional{iso_seconds{std::numeric_limits<std::int64_t>::min(), 0}} : std::nullopt;
        }
        const auto seconds = static_cast<std::int64_t>(seconds_);
        if (!negative) {
            return iso_seconds{seconds, total_nanos_};
        }
        return total_nanos_ == 0 ? iso_seconds{-seconds, 0} : iso_seconds{-seconds - 1, 1'000'000'000 - total_nanos_};
    }

    iso_cursor in_;
    bool waiting_ = false;
    bool fraction_ = false;
    std::uint64_t count_ = 0;
    std::int64_t nanos_ = 0;
    std::uint64_t seconds_ = 0;
    std::int64_t total_nanos_ = 0;
    int parts_ = 0;
};

} // namespace

std::optional<iso_seconds> parse_iso_duration(std::string_view text) noexcept { return duration_parser{text}.parse(); }

} // namespace ferry
