#pragma once

#include <ferry/json/json_reader.hpp>

#include <simdjson.h>

#include <string>
#include <vector>

namespace ferry {

/// One open object or array: how far its iteration is, and what its current member is called in a path.
struct json_level {
    simdjson::ondemand::object_iterator fields{};
    simdjson::ondemand::array_iterator elements{};
    bool started = false;
    json_step step{};
};

/// The memory of a reader, which outlives it so that the next one has no need to allocate.
struct json_reader::state {
    simdjson::ondemand::parser parser;
    simdjson::ondemand::document document;
    simdjson::ondemand::value value;
    std::vector<json_level> levels;
    buffer repaired; // see json_reader::open
    const char* body = nullptr;
    bool busy = false;

    [[nodiscard]] std::string path() const;
    /// What kind of value is in front, in the words of an error.
    [[nodiscard]] std::string_view found();
    [[nodiscard]] std::string_view token();
    [[noreturn]] void fail(const std::string& reason) const;
    [[noreturn]] void fail_expected(const std::string& expected);
    /// Of a kind of number; if there is a number in front, it is another one.
    [[noreturn]] void fail_number(const std::string& expected);
    [[noreturn]] void fail_malformed(simdjson::error_code problem);
    /// Throws unless all is well; a wrong type becomes `expected ..., found ...`.
    void check(simdjson::error_code problem) {
        if (problem != simdjson::SUCCESS) [[unlikely]] {
            fail_malformed(problem);
        }
    }
    void check(simdjson::error_code problem, const char* expected) {
        if (problem != simdjson::SUCCESS) [[unlikely]] {
            problem == simdjson::INCORRECT_TYPE ? fail_expected(expected) : fail_malformed(problem);
        }
    }
};

/// Whether the text is a number as JSON spells it.
[[nodiscard]] bool is_json_number(std::string_view text) noexcept;

} // namespace ferry
