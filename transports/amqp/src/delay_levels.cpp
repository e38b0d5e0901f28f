#include "delay_levels.hpp"

#include <ferry/delay_schedule.hpp>
#include <ferry/error.hpp>

#include <bit>
#include <string_view>

namespace ferry::amqp {

namespace {

constexpr std::size_t longest_key = 255; // AMQP's own limit, in bytes
constexpr std::size_t level_words_size = 2 * delay_level_count;
constexpr std::uint64_t exact_up_to = 131072;
constexpr std::uint64_t coarse_step = 1024;
constexpr std::uint64_t milliseconds_per_day = 86'400'000;

// In a pattern such a word stands for others, so that messages to other destinations would match.
bool has_wildcard(std::string_view name) {
    const std::string words = '.' + std::string{name} + '.';
    return words.contains(".*.") || words.contains(".#.");
}

void require_fit(const address& destination, std::size_t kind_size) {
    const std::size_t longest_name = longest_key - level_words_size - kind_size;
    if (destination.name.size() > longest_name) {
        throw error{"a message to " + destination.to_string() + " cannot be delayed: the name has " +
                    std::to_string(destination.name.size()) + " bytes; make it " + std::to_string(longest_name) +
                    " or fewer"};
    }
    if (has_wildcard(destination.name)) {
        throw error{"a message to " + destination.to_string() +
                    " cannot be delayed: '*' and '#' stand for other words; do not use them between dots in a name"};
    }
}

/// The part of a key after the levels.
std::string words_of(const address& destination) {
    if (destination.empty()) {
        throw error{"a message without a destination cannot be delayed; name a queue or an exchange"};
    }
    const std::string_view kind = destination.kind == address::kind_type::queue ? "queue." : "exchange.";
    require_fit(destination, kind.size());
    return std::string{kind} + destination.name;
}

std::string any_words(int count) {
    std::string words;
    for (int i = 0; i < count; ++i) {
        words += "*.";
    }
    return words;
}

std::string words_above(int level) { return any_words(delay_level_count - 1 - level); }

} // namespace

std::uint64_t rounded(duration delay) {
    if (delay <= duration::zero()) {
        return 0;
    }
    const auto exact = static_cast<std::uint64_t>(std::chrono::ceil<std::chrono::milliseconds>(delay).count());
    if (exact > longest_delay_milliseconds) {
        throw error{"a message cannot be delayed by " + to_text(delay) + "; the longest delay is " +
                    std::to_string(longest_delay_milliseconds) + " ms, which is more than " +
                    std::to_string(longest_delay_milliseconds / milliseconds_per_day) + " days"};
    }
    return exact <= exact_up_to ? exact : (exact + coarse_step - 1) / coarse_step * coarse_step;
}

int first_level(std::uint64_t milliseconds) noexcept { return static_cast<int>(std::bit_width(milliseconds)) - 1; }

std::string routing_key(std::uint64_t milliseconds, const address& destination) {
    std::string key;
    key.reserve(longest_key);
    for (int level = delay_level_count - 1; level >= 0; --level) {
        const bool waits = ((milliseconds >> static_cast<unsigned>(level)) & 1U) != 0;
        key += waits ? "1." : "0.";
    }
    return key += words_of(destination);
}

std::string one_pattern(int level) { return words_above(level) + "1.#"; }

std::string zero_pattern(int level) { return words_above(level) + "0.#"; }

std::string delivery_pattern(const address& destination) {
    return any_words(delay_level_count) + words_of(destination);
}

std::string every_exchange_pattern() { return any_words(delay_level_count) + "exchange.#"; }

std::string delay_names::level(int number) const {
    return prefix + (number < 10 ? ".0" : ".") + std::to_string(number);
}

} // namespace ferry::amqp
