#pragma once

#include <ferry/json/json_format.hpp>
#include <ferry/json/json_scalars.hpp>

#include <array>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace ferry {

template <typename Container>
concept json_map = requires(Container container, Container::key_type key) {
    typename Container::mapped_type;
    container[std::move(key)];
    container.clear();
};

/// How a key that is no text itself becomes the name of a JSON field.
template <typename Key> struct json_key {
    static_assert(json_integer<Key> || nameable_enum<Key>,
                  "ferry: the keys of a map must be strings, UUIDs, enums or integers");

    std::array<char, 24> digits;

    [[nodiscard]] std::string_view text(const json_writer& out, Key key) {
        if constexpr (nameable_enum<Key>) {
            return json_enum_text(out, key);
        } else {
            const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), key).ptr;
            return {digits.data(), end};
        }
    }
    [[nodiscard]] static Key parse(const json_reader& in, std::string_view text) {
        if constexpr (nameable_enum<Key>) {
            return json_enum_value<Key>(in, text);
        } else {
            Key key{};
            const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), key);
            if (problem != std::errc{} || end != text.data() + text.size()) {
                in.fail("expected a whole number as key, found other text");
            }
            return key;
        }
    }
};

template <> struct json_key<std::string> {
    [[nodiscard]] static std::string_view text(const json_writer&, std::string_view key) noexcept { return key; }
    [[nodiscard]] static std::string parse(const json_reader&, std::string_view text) { return std::string{text}; }
};

template <> struct json_key<uuid> {
    std::array<char, uuid::text_size> digits;

    [[nodiscard]] std::string_view text(const json_writer&, const uuid& key) noexcept {
        key.write(digits.data());
        return {digits.data(), digits.size()};
    }
    [[nodiscard]] static uuid parse(const json_reader& in, std::string_view text) {
        const auto key = uuid::parse(text);
        if (!key) {
            in.fail("expected a UUID as key, found other text");
        }
        return *key;
    }
};

template <json_map Map> struct json_format<Map> {
    using key_type = Map::key_type;

    static void write(json_writer& out, const Map& map) {
        json_step step{.kind = json_step_kind::key};
        out.enter(step);
        out.put('{');
        for (const auto& [key, value] : map) {
            if (step.index > 0) {
                out.put(',');
            }
            json_key<key_type> name;
            out.write_string(name.text(out, key));
            out.put(':');
            write_json(out, value);
            ++step.index;
        }
        out.put('}');
        out.leave(step);
    }

    static void read(json_reader& in, Map& map) {
        map.clear();
        in.begin_object();
        while (in.next_field()) {
            read_json(in, map[json_key<key_type>::parse(in, in.key())]);
        }
    }
};

} // namespace ferry
