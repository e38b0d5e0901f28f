#include "json_reader_state.hpp"

#include <ferry/message_codec.hpp>

namespace ferry {

namespace {

std::string_view without_trailing_space(std::string_view text) noexcept {
    return text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
}

std::string_view what_is_wrong(simdjson::error_code problem) noexcept {
    switch (problem) {
    case simdjson::EMPTY:
        return "the body is empty";
    case simdjson::UTF8_ERROR:
        return "the text is not valid UTF-8";
    case simdjson::UNCLOSED_STRING:
        return "a string is never closed";
    case simdjson::UNESCAPED_CHARS:
        return "a string holds a control character that is not escaped";
    case simdjson::INCOMPLETE_ARRAY_OR_OBJECT:
        return "the body does not end where its JSON ends: it is cut off, or something follows";
    case simdjson::STRING_ERROR:
        return "a string holds an escape that JSON does not know";
    case simdjson::NUMBER_ERROR:
        return "this is no number";
    default:
        return "this is not JSON";
    }
}

} // namespace

std::string json_reader::state::path() const {
    std::string text;
    for (const json_level& level : levels) {
        append_step(text, level.step);
    }
    return text;
}

std::string_view json_reader::state::token() { return without_trailing_space(value.raw_json_token()); }

std::string_view json_reader::state::found() {
    simdjson::ondemand::json_type type{};
    if (value.type().get(type) != simdjson::SUCCESS) {
        return "something that is not JSON";
    }
    switch (type) {
    case simdjson::ondemand::json_type::object:
        return "an object";
    case simdjson::ondemand::json_type::array:
        return "an array";
    case simdjson::ondemand::json_type::string:
        return "a string";
    case simdjson::ondemand::json_type::number:
        return is_json_number(token()) ? "a number" : "something that is not JSON";
    case simdjson::ondemand::json_type::boolean:
        return "a boolean";
    case simdjson::ondemand::json_type::null:
        return "null";
    }
    return "something that is not JSON";
}

void json_reader::state::fail(const std::string& reason) const { throw decode_error{path(), reason}; }

void json_reader::state::fail_expected(const std::string& expected) {
    fail(std::string{"expected "}.append(expected).append(", found ").append(found()));
}

void json_reader::state::fail_number(const std::string& expected) {
    found() == "a number" ? fail("expected " + expected + ", found another number") : fail_expected(expected);
}

void json_reader::state::fail_malformed(simdjson::error_code problem) {
    if (!repaired.empty() && problem == simdjson::STRING_ERROR) {
        problem = simdjson::UTF8_ERROR;
    }
    std::string reason{what_is_wrong(problem)};
    const char* place = nullptr;
    if (body != nullptr && repaired.empty() && document.current_location().get(place) == simdjson::SUCCESS) {
        reason += ", near byte " + std::to_string(place - body);
    }
    fail(reason);
}

bool is_json_number(std::string_view text) noexcept {
    std::size_t at = 0;
    const auto digits = [&] {
        const std::size_t start = at;
        while (at < text.size() && text[at] >= '0' && text[at] <= '9') {
            ++at;
        }
        return at - start;
    };
    const auto take = [&](std::string_view one_of) {
        const bool here = at < text.size() && one_of.find(text[at]) != std::string_view::npos;
        at += here ? 1 : 0;
        return here;
    };
    take("-");
    const bool whole = take("0") || digits() > 0;
    const bool fraction = !take(".") || digits() > 0;
    const bool exponent = !take("eE") || (take("+-"), digits() > 0);
    return whole && fraction && exponent && at == text.size();
}

} // namespace ferry
