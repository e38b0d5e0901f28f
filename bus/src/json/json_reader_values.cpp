#include "iso_time.hpp"
#include "json_reader_state.hpp"

#include <charconv>
#include <utility>

namespace ferry {

namespace {

template <typename Number> std::string whole_number(Number least, Number most) {
    return "a whole number from " + std::to_string(least) + " to " + std::to_string(most);
}

} // namespace

bool json_reader::read_null() {
    bool null = false;
    const auto problem = state_->value.is_null().get(null);
    if (problem != simdjson::SUCCESS && problem != simdjson::INCORRECT_TYPE) {
        state_->fail_malformed(problem);
    }
    return null;
}

bool json_reader::read_bool() {
    bool value = false;
    state_->check(state_->value.get_bool().get(value), "true or false");
    return value;
}

std::int64_t json_reader::read_signed(std::int64_t least, std::int64_t most) {
    state& s = *state_;
    std::int64_t value = 0;
    if (s.value.get_int64().get(value) != simdjson::SUCCESS) [[unlikely]] {
        s.fail_number(whole_number(least, most));
    }
    if (value < least || value > most) [[unlikely]] {
        s.fail("expected " + whole_number(least, most) + ", found another number");
    }
    return value;
}

std::uint64_t json_reader::read_unsigned(std::uint64_t most) {
    state& s = *state_;
    std::uint64_t value = 0;
    if (s.value.get_uint64().get(value) != simdjson::SUCCESS) [[unlikely]] {
        s.fail_number(whole_number(std::uint64_t{0}, most));
    }
    if (value > most) [[unlikely]] {
        s.fail("expected " + whole_number(std::uint64_t{0}, most) + ", found another number");
    }
    return value;
}

// Not by way of a double: to round twice is not the same as to round once.
float json_reader::read_float() {
    state& s = *state_;
    const std::string_view text = s.token();
    float value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (!is_json_number(text) || problem != std::errc{}) {
        s.fail_number("a number that a float can hold");
    }
    return value;
}

double json_reader::read_double() {
    double value = 0;
    if (state_->value.get_double().get(value) != simdjson::SUCCESS) [[unlikely]] {
        state_->fail_number("a number that a double can hold");
    }
    return value;
}

std::string_view json_reader::read_string() {
    std::string_view text;
    state_->check(state_->value.get_string().get(text), "a string");
    return text;
}

uuid json_reader::read_uuid() {
    const std::string_view text = read_string();
    const auto id = uuid::parse(text);
    if (!id) {
        fail("expected a UUID such as 0193361c-7a1e-7c62-9d3b-5f0c2ab6d9e1, found other text");
    }
    return *id;
}

std::int64_t json_reader::read_time(std::int64_t numerator, std::int64_t denominator) {
    const std::string_view text = read_string();
    const auto seconds = parse_iso_time(text);
    if (!seconds) {
        fail("expected a time such as 2026-11-16T03:52:00Z, found other text");
    }
    const auto ticks = to_ticks(*seconds, numerator, denominator);
    if (!ticks) {
        fail("expected a time that the field can hold, found another one");
    }
    return *ticks;
}

std::int64_t json_reader::read_duration(std::int64_t numerator, std::int64_t denominator) {
    const std::string_view text = read_string();
    const auto seconds = parse_iso_duration(text);
    if (!seconds) {
        fail("expected a duration such as PT1.5S or P1DT12H, found other text");
    }
    const auto ticks = to_ticks(*seconds, numerator, denominator);
    if (!ticks) {
        fail("expected a duration that the field can hold, found another one");
    }
    return *ticks;
}

} // namespace ferry
