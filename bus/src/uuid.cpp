#include <ferry/uuid.hpp>

#include <random>

namespace ferry {

namespace {

constexpr char digits[] = "0123456789abcdef";

constexpr bool dash_before(std::size_t byte) { return byte == 4 || byte == 6 || byte == 8 || byte == 10; }

constexpr std::uint8_t no_digit = 0xff;

/// What each character is worth as a digit. A table, since no branch can be foreseen among random digits.
constexpr std::array<std::uint8_t, 256> digit_values = [] {
    std::array<std::uint8_t, 256> values{};
    values.fill(no_digit);
    for (std::uint8_t i = 0; i < 16; ++i) {
        values[static_cast<unsigned char>(digits[i])] = i;
        values[static_cast<unsigned char>("0123456789ABCDEF"[i])] = i;
    }
    return values;
}();

constexpr std::uint8_t digit_value(char c) noexcept { return digit_values[static_cast<unsigned char>(c)]; }

// Spreads a counter over 64 bits without collisions (the finaliser of the splitmix64 generator, a bijection).
std::uint64_t scrambled(std::uint64_t x) noexcept {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

using std::chrono::milliseconds;

// RFC 9562 lets an id of version 7 have 12 bits of finer time behind its milliseconds.
constexpr int fraction_bits = 12;
constexpr std::int64_t fractions = std::int64_t{1} << fraction_bits;
constexpr std::int64_t nanoseconds_each = duration{milliseconds{1}}.count();

std::uint64_t ticks_at(time_point now) noexcept {
    const auto whole = std::chrono::floor<milliseconds>(now);
    const std::int64_t part = duration{now - whole}.count() * fractions / nanoseconds_each;
    return static_cast<std::uint64_t>(whole.time_since_epoch().count()) << fraction_bits |
           static_cast<std::uint64_t>(part);
}

// The first moment with these ticks, so that it has the same ones again.
time_point moment_at(std::uint64_t ticks) noexcept {
    const auto part = static_cast<std::int64_t>(ticks % fractions);
    return time_point{milliseconds{ticks >> fraction_bits}} +
           duration{(part * nanoseconds_each + fractions - 1) / fractions};
}

// What a time_point can hold.
constexpr std::uint64_t end_of_ticks =
    static_cast<std::uint64_t>(std::chrono::floor<milliseconds>(duration::max()).count()) << fraction_bits;

std::uint64_t random_seed() {
    std::random_device device;
    return (std::uint64_t{device()} << 32) | device();
}

} // namespace

std::optional<uuid> uuid::parse(std::string_view text) noexcept {
    if (text.size() != text_size) {
        return std::nullopt;
    }
    std::array<std::uint8_t, 16> bytes{};
    std::size_t at = 0;
    std::uint8_t all = 0;
    bool dashed = true;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        if (dash_before(i)) {
            dashed &= text[at++] == '-';
        }
        const std::uint8_t high = digit_value(text[at]);
        const std::uint8_t low = digit_value(text[at + 1]);
        all |= high | low;
        bytes[i] = static_cast<std::uint8_t>(high << 4 | low);
        at += 2;
    }
    const bool all_digits = all < 16;
    return dashed && all_digits ? std::optional{uuid{bytes}} : std::nullopt;
}

void uuid::write(char* out) const noexcept {
    for (std::size_t i = 0; i < bytes_.size(); ++i) {
        if (dash_before(i)) {
            *out++ = '-';
        }
        *out++ = digits[bytes_[i] >> 4];
        *out++ = digits[bytes_[i] & 15];
    }
}

std::string uuid::to_string() const {
    std::string text(text_size, '\0');
    write(text.data());
    return text;
}

std::optional<time_point> uuid::time() const noexcept {
    if (version() != 7) {
        return std::nullopt;
    }
    std::uint64_t high = 0;
    for (std::size_t i = 0; i < 8; ++i) {
        high = high << 8 | bytes_[i];
    }
    const std::uint64_t ticks = high >> 16 << fraction_bits | (high & 0xfffU);
    return ticks < end_of_ticks ? std::optional{moment_at(ticks)} : std::nullopt;
}

id_source::id_source() : id_source{random_seed()} {}

uuid id_source::next(time_point now) noexcept {
    const std::uint64_t present = now < time_point{} ? 0 : ticks_at(now);
    std::uint64_t last = last_.load(std::memory_order_relaxed);
    std::uint64_t mine = 0;
    do {
        // A clock that stands still or goes back: count on from the last id.
        mine = present > last ? present : last + 1;
    } while (!last_.compare_exchange_weak(last, mine, std::memory_order_relaxed));

    const std::uint64_t tail =
        scrambled(seed_ + count_.fetch_add(1, std::memory_order_relaxed) * 0x9e3779b97f4a7c15ULL);
    const std::uint64_t high = (mine >> fraction_bits << 16) | 0x7000U | (mine & 0xfffU);
    const std::uint64_t low = (tail >> 2) | 0x8000000000000000ULL;
    std::array<std::uint8_t, 16> bytes{};
    for (std::size_t i = 0; i < 8; ++i) {
        bytes[i] = static_cast<std::uint8_t>(high >> (56 - 8 * i));
        bytes[i + 8] = static_cast<std::uint8_t>(low >> (56 - 8 * i));
    }
    return uuid{bytes};
}

time_point id_source::told(time_point now) noexcept { return now < time_point{} ? now : moment_at(ticks_at(now)); }

} // namespace ferry
