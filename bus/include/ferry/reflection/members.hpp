#pragma once

#include <ferry/reflection/hidden_members.hpp>

#include <boost/describe/bases.hpp>
#include <boost/describe/members.hpp>
#include <boost/mp11/algorithm.hpp>
#include <boost/pfr/core.hpp>
#include <boost/pfr/core_name.hpp>

#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>

namespace ferry {

namespace detail {

template <typename Class> struct any_base_of {
    template <typename Base>
        requires(std::is_base_of_v<Base, Class> && !std::is_same_v<Base, Class>)
    operator Base() const;
};

// Boost.PFR sees through aggregates only as long as nothing is inherited.
template <typename Class>
concept has_base = requires { Class{any_base_of<Class>{}}; };

template <typename Class>
concept described = std::is_class_v<Class> && boost::describe::has_describe_members<Class>::value;

template <typename Class>
concept plain = std::is_class_v<Class> && std::is_aggregate_v<Class> && !has_base<Class>;

template <typename Class> using described_members =
    boost::describe::describe_members<Class, boost::describe::mod_public | boost::describe::mod_inherited>;

template <typename Class, std::size_t Index> using described_member =
    boost::mp11::mp_at_c<described_members<Class>, Index>;

template <typename Class> consteval std::size_t count_members() noexcept;

} // namespace detail

/// A class whose members ferry can name and visit: an aggregate without bases, or one with BOOST_DESCRIBE_STRUCT or
/// BOOST_DESCRIBE_CLASS, of which the public members are seen.
template <typename Class>
concept reflectable = detail::described<std::remove_cv_t<Class>> || detail::plain<std::remove_cv_t<Class>>;

template <reflectable Class> inline constexpr std::size_t member_count =
    detail::count_members<std::remove_cv_t<Class>>();

/// The name of a member as it was declared.
template <reflectable Class, std::size_t Index> [[nodiscard]] consteval std::string_view member_name() noexcept {
    if constexpr (detail::described<Class>) {
        return detail::described_member<Class, Index>::name;
    } else {
        return boost::pfr::get_name<Index, Class>();
    }
}

/// The member itself, in the order of declaration (bases first).
template <std::size_t Index, reflectable Class> [[nodiscard]] constexpr auto& member(Class& object) noexcept {
    if constexpr (detail::described<std::remove_cv_t<Class>>) {
        return object.*detail::described_member<std::remove_cv_t<Class>, Index>::pointer;
    } else {
        return boost::pfr::get<Index>(object);
    }
}

template <reflectable Class, std::size_t Index> using member_type =
    std::remove_reference_t<decltype(member<Index>(std::declval<Class&>()))>;

namespace detail {

template <typename Class, std::size_t Count>
inline constexpr bool has_array_among = []<std::size_t... Index>(std::index_sequence<Index...>) {
    return (std::is_array_v<member_type<Class, Index>> || ...);
}(std::make_index_sequence<Count>{});

// None where there is something to complain about: whoever went on would only add errors of its own.
template <bool HasArray, bool HasUnion, std::size_t Count> consteval std::size_t count_unless() noexcept {
    static_assert(!HasArray, "ferry: a message cannot have a C array as a member: use a std::array");
    static_assert(!HasUnion, "ferry: a message cannot have an anonymous union as a member: use a std::variant");
    return HasArray || HasUnion ? 0 : Count;
}

template <typename Class> consteval std::size_t count_members() noexcept {
    if constexpr (described<Class>) {
        constexpr std::size_t count = boost::mp11::mp_size<described_members<Class>>::value;
        return count_unless<has_array_among<Class, count>, false, count>();
    } else if constexpr (has_c_array<Class> || has_nameless_union<Class>) {
        return count_unless<has_c_array<Class>, has_nameless_union<Class>, 0>();
    } else {
        constexpr std::size_t count = boost::pfr::tuple_size_v<Class>;
        return count_unless<has_array_among<Class, count>, false, count>();
    }
}

} // namespace detail

/// Calls `visit(name, member)` for each member in turn.
template <reflectable Class, typename Visitor> constexpr void for_each_member(Class& object, Visitor&& visit) {
    [&]<std::size_t... Index>(std::index_sequence<Index...>) {
        (visit(member_name<std::remove_cv_t<Class>, Index>(), member<Index>(object)), ...);
    }(std::make_index_sequence<member_count<Class>>{});
}

} // namespace ferry
