#include "names.hpp"

#include <ferry/error.hpp>

#include <format>
#include <regex>
#include <utility>

namespace ferry::postgres {

namespace {

constexpr std::size_t longest_identifier = 63;
constexpr std::string_view longest_name = "outbox_postponed";

void check(std::string_view name, std::size_t room, std::string_view what) {
    if (name.size() > room || name.find('\0') != std::string_view::npos) {
        throw error{std::format("\"{}\" cannot be the {}: at most {} bytes, none of them 0", name, what, room)};
    }
}

} // namespace

names::names(std::string schema, std::string prefix) : schema_{std::move(schema)}, prefix_{std::move(prefix)} {
    if (schema_.empty()) {
        throw error{"a schema needs a name; leave store_options.schema at \"ferry\" or say \"public\""};
    }
    check(schema_, longest_identifier, "schema");
    check(prefix_, longest_identifier - longest_name.size(), "prefix of tables");
}

std::string names::table(std::string_view name) const {
    return quoted_identifier(schema_) + "." + quoted_identifier(prefix_ + std::string{name});
}

// `ferry.outbox` is a table, and an index has its name where it is created; nothing else in the texts depends on names.
std::string names::translated(std::string_view sql) const {
    static const std::regex name{R"(ferry\.(\w+)|create index (\w+)|create schema ferry)"};
    std::string text;
    const char* rest = sql.data();
    const char* const end = sql.data() + sql.size();
    for (std::cmatch found; std::regex_search(rest, end, found, name); rest = found[0].second) {
        text.append(rest, found[0].first);
        if (found[1].matched) {
            text += table(found[1].str());
        } else if (found[2].matched) {
            text += "create index " + quoted_identifier(prefix_ + found[2].str());
        } else {
            text += "create schema " + quoted_identifier(schema_);
        }
    }
    return text.append(rest, end);
}

std::int32_t names::key() const noexcept {
    std::uint32_t hash = 2166136261U; // FNV-1a: the same in every process
    for (const std::string& part : {schema_, prefix_}) {
        for (const char each : part) {
            hash = (hash ^ static_cast<unsigned char>(each)) * 16777619U;
        }
        hash *= 16777619U;
    }
    return static_cast<std::int32_t>(hash);
}

std::string names::channel() const { return std::format("ferry_{:08x}", static_cast<std::uint32_t>(key())); }

std::string quoted_identifier(std::string_view name) {
    std::string quoted = "\"";
    for (const char each : name) {
        quoted.append(each == '"' ? 2 : 1, each);
    }
    return quoted + "\"";
}

} // namespace ferry::postgres
