#pragma once

#include <ferry/json/json_format.hpp>
#include <ferry/json/json_scalars.hpp>
#include <ferry/reflection/members.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

namespace ferry {

/// A class that becomes a JSON object with a field for each of its members.
template <typename Class>
concept json_object = reflectable<Class> && !requires { typename Class::value_type; };

template <typename Class, std::size_t Index> inline constexpr std::string_view json_field_name =
    json_name(member_name<Class, Index>());

/// Everything between the values of two members, as one literal: `,"quantity":`.
template <typename Class, std::size_t Index> consteval auto make_field_head() noexcept {
    constexpr std::string_view name = json_field_name<Class, Index>;
    std::array<char, name.size() + 4> head{Index == 0 ? '{' : ',', '"'};
    name.copy(head.data() + 2, name.size());
    head[name.size() + 2] = '"';
    head[name.size() + 3] = ':';
    return head;
}

template <typename Class, std::size_t Index> inline constexpr auto json_field_head = make_field_head<Class, Index>();

template <typename Type> inline constexpr bool is_optional = false;
template <typename Type> inline constexpr bool is_optional<std::optional<Type>> = true;

template <json_object Class>
inline constexpr bool has_const_member = []<std::size_t... Index>(std::index_sequence<Index...>) {
    return (std::is_const_v<member_type<Class, Index>> || ...);
}(std::make_index_sequence<member_count<Class>>{});

template <json_object Class>
inline constexpr auto json_field_names = []<std::size_t... Index>(std::index_sequence<Index...>) {
    return std::array<std::string_view, sizeof...(Index)>{json_field_name<Class, Index>...};
}(std::make_index_sequence<member_count<Class>>{});

template <json_object Class> struct json_format<Class> {
    static_assert(std::default_initializable<Class>,
                  "ferry: a class in a message must have a default constructor, to read it into");
    static_assert(member_count<Class> <= json_seen::capacity, "ferry: a class in a message has at most 256 members");
    static_assert(
        json_names_differ(json_field_names<Class>),
        "ferry: two members have the same name in JSON, where an underscore at the end is dropped: rename one "
        "of them");
    static_assert(!has_const_member<Class>, "ferry: a member of a message must not be const, to be read into");

    static void write(json_writer& out, const Class& object) {
        json_step step{.kind = json_step_kind::field};
        out.enter(step);
        [&]<std::size_t... Index>(std::index_sequence<Index...>) {
            (write_member<Index>(out, step, object), ...);
        }(members);
        out.literal(member_count<Class> == 0 ? std::string_view{"{}"} : std::string_view{"}"});
        out.leave(step);
    }

    static void read(json_reader& in, Class& object) {
        static constexpr auto fields = make_fields(members);
        static constexpr json_shape shape{fields, &reset_missing};
        in.read_object(&object, shape);
    }

private:
    // None where the class was refused above: one error says more than three.
    static constexpr std::make_index_sequence<has_const_member<Class> ? 0 : member_count<Class>> members{};

    template <std::size_t Index> static void write_member(json_writer& out, json_step& step, const Class& object) {
        step.text = json_field_name<Class, Index>;
        out.literal(json_field_head<Class, Index>);
        write_json(out, member<Index>(object));
    }

    template <std::size_t Index> static void read_member(json_reader& in, void* object) {
        read_json(in, member<Index>(*static_cast<Class*>(object)));
    }

    template <std::size_t... Index> static consteval auto make_fields(std::index_sequence<Index...>) noexcept {
        return std::array<json_field, sizeof...(Index)>{
            json_field{json_field_name<Class, Index>, &read_member<Index>, !is_optional<member_type<Class, Index>>}...};
    }

    static void reset_missing(void* object, const json_seen& seen) {
        Class fresh{};
        [&]<std::size_t... Index>(std::index_sequence<Index...>) {
            ((seen.contains(Index) ? void() : reset(member<Index>(*static_cast<Class*>(object)), member<Index>(fresh))),
             ...);
        }(members);
    }

    // A copy lets strings and vectors keep the memory they have, which a move would give away.
    template <typename Member> static void reset(Member& stale, Member& fresh) {
        if constexpr (std::is_copy_assignable_v<Member>) {
            stale = fresh;
        } else {
            stale = std::move(fresh);
        }
    }
};

} // namespace ferry
