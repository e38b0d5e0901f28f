#pragma once

#include <ferry/json/json_format.hpp>
#include <ferry/reflection/enum_names.hpp>
#include <ferry/reflection/type_name.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <string_view>

namespace ferry {

template <typename Type>
concept json_integer =
    std::integral<Type> && !std::same_as<Type, bool> && !std::same_as<Type, char> && !std::same_as<Type, wchar_t> &&
    !std::same_as<Type, char8_t> && !std::same_as<Type, char16_t> && !std::same_as<Type, char32_t>;

template <> struct json_format<bool> {
    static void write(json_writer& out, bool value) { out.write_bool(value); }
    static void read(json_reader& in, bool& value) { value = in.read_bool(); }
};

template <json_integer Integer> struct json_format<Integer> {
    using limits = std::numeric_limits<Integer>;

    static void write(json_writer& out, Integer value) {
        if constexpr (std::signed_integral<Integer>) {
            out.write_signed(value);
        } else {
            out.write_unsigned(value);
        }
    }
    static void read(json_reader& in, Integer& value) {
        if constexpr (std::signed_integral<Integer>) {
            value = static_cast<Integer>(in.read_signed(limits::min(), limits::max()));
        } else {
            value = static_cast<Integer>(in.read_unsigned(limits::max()));
        }
    }
};

template <> struct json_format<float> {
    static void write(json_writer& out, float value) { out.write_float(value); }
    static void read(json_reader& in, float& value) { value = in.read_float(); }
};

template <> struct json_format<double> {
    static void write(json_writer& out, double value) { out.write_double(value); }
    static void read(json_reader& in, double& value) { value = in.read_double(); }
};

template <> struct json_format<std::string> {
    static void write(json_writer& out, const std::string& text) { out.write_string(text); }
    static void read(json_reader& in, std::string& text) { text = in.read_string(); }
};

template <> struct json_format<std::string_view> {
    static void write(json_writer& out, std::string_view text) { out.write_string(text); }
    template <typename Text> static void read(json_reader&, Text&) {
        static_assert(!std::same_as<Text, std::string_view>,
                      "ferry: a std::string_view can be written but not read: use a std::string");
    }
};

template <> struct json_format<uuid> {
    static void write(json_writer& out, const uuid& id) { out.write_uuid(id); }
    static void read(json_reader& in, uuid& id) { id = in.read_uuid(); }
};

/// A name without the underscore that keeps it apart from a C++ keyword: `class_` is "class" in JSON.
[[nodiscard]] constexpr std::string_view json_name(std::string_view name) noexcept {
    return name.ends_with('_') ? name.substr(0, name.size() - 1) : name;
}

[[nodiscard]] consteval bool json_names_differ(std::span<const std::string_view> names) noexcept {
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (std::ranges::contains(names.subspan(i + 1), names[i])) {
            return false;
        }
    }
    return true;
}

/// The names of an enum's values in JSON, in the order of `enum_names`.
template <nameable_enum Enum> struct json_enum {
    static constexpr auto names = [] {
        std::array<std::string_view, enum_names<Enum>.size()> found{};
        std::ranges::transform(enum_names<Enum>, found.begin(), [](const auto& item) { return json_name(item.name); });
        return found;
    }();

    static_assert(json_names_differ(names), "ferry: two enumerators have the same name in JSON, where an underscore at "
                                            "the end is dropped: rename one of them");
};

template <nameable_enum Enum> [[nodiscard]] std::string_view json_enum_text(const json_writer& out, Enum value) {
    const std::string_view name = enum_name(value);
    if (name.empty()) {
        out.fail("this value of " + std::string{type_name<Enum>()} + " has no name");
    }
    return json_name(name);
}

template <nameable_enum Enum> [[nodiscard]] Enum json_enum_value(const json_reader& in, std::string_view text) {
    const auto& names = json_enum<Enum>::names;
    if (const auto found = std::ranges::find(names, text); found != names.end()) {
        return enum_names<Enum>[static_cast<std::size_t>(found - names.begin())].value;
    }
    std::string expected = "expected one of";
    for (const std::string_view name : names) {
        expected.append(expected.ends_with('"') ? ", \"" : " \"").append(name).append("\"");
    }
    in.fail(expected + ", found other text");
}

template <nameable_enum Enum> struct json_format<Enum> {
    static void write(json_writer& out, Enum value) { out.write_string(json_enum_text(out, value)); }
    static void read(json_reader& in, Enum& value) { value = json_enum_value<Enum>(in, in.read_string()); }
};

} // namespace ferry
