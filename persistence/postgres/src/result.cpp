#include "result.hpp"

#include <array>
#include <charconv>
#include <cstring>

namespace ferry::postgres {

std::string_view result::bytes(int row, int column) const noexcept {
    return {PQgetvalue(result_.get(), row, column), static_cast<std::size_t>(PQgetlength(result_.get(), row, column))};
}

std::int64_t result::number(int row, int column) const noexcept {
    const std::string_view digits = bytes(row, column);
    const bool negative = !digits.empty() && (static_cast<unsigned char>(digits.front()) & 0x80U) != 0;
    std::uint64_t value = negative ? ~std::uint64_t{0} : 0;
    for (const char each : digits) {
        value = (value << 8U) | static_cast<unsigned char>(each);
    }
    return static_cast<std::int64_t>(value);
}

uuid result::id(int row, int column) const noexcept {
    std::array<std::uint8_t, 16> octets{};
    const std::string_view found = bytes(row, column);
    if (found.size() == octets.size()) {
        std::memcpy(octets.data(), found.data(), octets.size());
    }
    return uuid{octets};
}

std::size_t result::affected() const noexcept {
    const std::string_view text = PQcmdTuples(result_.get());
    std::size_t count = 0;
    std::from_chars(text.data(), text.data() + text.size(), count);
    return count;
}

} // namespace ferry::postgres
