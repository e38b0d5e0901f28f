#pragma once

#include <ferry/json/json_bytes.hpp>
#include <ferry/json/json_format.hpp>
#include <ferry/json/json_maps.hpp>
#include <ferry/json/json_scalars.hpp>
#include <ferry/json/json_sequences.hpp>
#include <ferry/json/json_time.hpp>
#include <ferry/reflection/type_name.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace ferry {

/// What is null in JSON for one of its values.
template <typename Type> inline constexpr bool json_null_has_a_meaning = std::same_as<Type, std::monostate>;
template <typename Type> inline constexpr bool json_null_has_a_meaning<std::optional<Type>> = true;
template <typename... Type> inline constexpr bool json_null_has_a_meaning<std::variant<Type...>> =
    (std::same_as<Type, std::monostate> || ...);

template <typename Value> struct json_format<std::optional<Value>> {
    static_assert(
        !json_null_has_a_meaning<Value>,
        "ferry: a std::optional of what may be null itself would come back without one of the two levels: wrap "
        "the inner one in a struct");

    static void write(json_writer& out, const std::optional<Value>& value) {
        if (value) {
            write_json(out, *value);
        } else {
            out.write_null();
        }
    }
    static void read(json_reader& in, std::optional<Value>& value) {
        if (in.read_null()) {
            return value.reset();
        }
        read_json(in, value ? *value : value.emplace());
    }
};

template <> struct json_format<std::monostate> {
    static void write(json_writer& out, std::monostate) { out.write_null(); }
    static void read(json_reader& in, std::monostate&) {
        if (!in.read_null()) {
            in.fail("expected null");
        }
    }
};

template <json_integer Integer> [[nodiscard]] consteval std::string_view json_integer_tag() noexcept {
    constexpr std::array<std::string_view, 4> with_sign{"int8", "int16", "int", "int64"};
    constexpr std::array<std::string_view, 4> without{"uint8", "uint16", "uint", "uint64"};
    constexpr std::size_t size = sizeof(Integer) == 1 ? 0 : sizeof(Integer) == 2 ? 1 : sizeof(Integer) == 4 ? 2 : 3;
    return std::signed_integral<Integer> ? with_sign[size] : without[size];
}

/// The name by which an alternative of a variant goes in JSON: that of its class, or of its kind.
template <typename Type> [[nodiscard]] consteval std::string_view json_tag() noexcept {
    if constexpr (json_integer<Type>) {
        return json_integer_tag<Type>();
    } else if constexpr (std::same_as<Type, std::monostate>) {
        return "null";
    } else if constexpr (std::same_as<Type, std::string> || std::same_as<Type, std::string_view>) {
        return "string";
    } else if constexpr (std::same_as<Type, buffer> || std::same_as<Type, std::vector<std::byte>>) {
        return "bytes";
    } else if constexpr (json_sequence<Type> || json_set<Type>) {
        return "list";
    } else if constexpr (json_map<Type>) {
        return "map";
    } else {
        return json_name(unqualified_type_name<Type>());
    }
}

template <typename... Type> struct json_format<std::variant<Type...>> {
    using variant = std::variant<Type...>;

    static constexpr std::array<std::string_view, sizeof...(Type)> tags{json_tag<Type>()...};

    static void write(json_writer& out, const variant& value) {
        if (value.valueless_by_exception()) {
            out.fail("the variant lost its value to an exception");
        }
        std::visit([&](const auto& chosen) { write_chosen(out, tags[value.index()], chosen); }, value);
    }

    static void read(json_reader& in, variant& value) {
        if (may_be_null && in.read_null()) {
            if constexpr (may_be_null) {
                value = std::monostate{};
            }
            return;
        }
        in.begin_object();
        if (!in.next_field()) {
            in.fail("expected an object with one field, named after what it holds: " + choices());
        }
        constexpr std::array<void (*)(json_reader&, variant&), sizeof...(Type)> readers{&read_chosen<Type>...};
        readers[find(in)](in, value);
        if (in.next_field()) {
            in.fail("expected an object with one field only");
        }
    }

private:
    static constexpr bool may_be_null = json_null_has_a_meaning<variant>;

    static_assert(json_names_differ(tags),
                  "ferry: two alternatives of a std::variant have the same name in JSON: wrap one of "
                  "them in a struct with a name of its own");

    static void write_chosen(json_writer& out, std::string_view, std::monostate) { out.write_null(); }
    template <typename Chosen> static void write_chosen(json_writer& out, std::string_view tag, const Chosen& chosen) {
        json_step step{.kind = json_step_kind::field, .text = tag};
        out.enter(step);
        out.literal("{\"");
        out.literal(tag);
        out.literal("\":");
        write_json(out, chosen);
        out.put('}');
        out.leave(step);
    }

    template <typename Chosen> static void read_chosen(json_reader& in, variant& value) {
        Chosen* const present = std::get_if<Chosen>(&value);
        read_json(in, present ? *present : value.template emplace<Chosen>());
    }

    [[nodiscard]] static std::size_t find(json_reader& in) {
        for (std::size_t index = 0; index < tags.size(); ++index) {
            if (tags[index] == in.key()) {
                in.key_is_known();
                return index;
            }
        }
        in.fail("this is not among the choices: " + choices());
    }

    [[nodiscard]] static std::string choices() {
        std::string text;
        for (const std::string_view tag : tags) {
            text.append(text.empty() ? "\"" : ", \"").append(tag).append("\"");
        }
        return text;
    }
};

} // namespace ferry
