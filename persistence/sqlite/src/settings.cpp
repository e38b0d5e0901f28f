#include "settings.hpp"

#include <ferry/error.hpp>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

namespace ferry::sqlite {

namespace {

bool is_letter(char each) { return (each >= 'a' && each <= 'z') || (each >= 'A' && each <= 'Z') || each == '_'; }
bool is_name_part(char each) { return is_letter(each) || (each >= '0' && each <= '9'); }

bool can_begin_a_table(std::string_view prefix) {
    return !prefix.empty() && is_letter(prefix.front()) && std::ranges::all_of(prefix, is_name_part) &&
           !prefix.starts_with("sqlite_");
}

} // namespace

settings checked(std::string path, store_options options) {
    if (path.empty()) {
        throw error{"an SQLite store needs a path; \":memory:\" does without a file"};
    }
    if (!can_begin_a_table(options.table_prefix)) {
        throw error{"the table prefix \"" + options.table_prefix +
                    "\" cannot begin the name of a table; use letters, digits and underscores, as in ferry_"};
    }
    if (options.busy_timeout < duration::zero() || options.turn_timeout < duration::zero()) {
        throw error{"busy_timeout and turn_timeout of an SQLite store cannot be negative; 0 does not wait at all"};
    }
    if (path != ":memory:") {
        path = resolved(path);
    }
    return {.path = std::move(path), .options = std::move(options)};
}

std::string resolved(const std::string& path) {
    std::error_code failed;
    const std::filesystem::path whole = std::filesystem::weakly_canonical(std::filesystem::absolute(path), failed);
    return failed ? path : whole.string();
}

std::string with_prefix(std::string_view sql, std::string_view prefix) {
    constexpr std::string_view standard = "ferry_";
    std::string text;
    for (std::size_t found = sql.find(standard); found != std::string_view::npos; found = sql.find(standard)) {
        text.append(sql.substr(0, found)).append(prefix);
        sql.remove_prefix(found + standard.size());
    }
    return text.append(sql);
}

} // namespace ferry::sqlite
