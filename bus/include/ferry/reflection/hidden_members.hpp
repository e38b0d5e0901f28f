#pragma once

#include <ferry/reflection/type_name.hpp>

#include <boost/pfr/core.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace ferry::detail {

// Stand in for a member of any type where initialising is only tried. A C array takes none: the compiler goes on to
// its elements, so each of those uses one up.
struct any_copyable {
    template <typename Member> operator Member&() const&& noexcept;
    template <typename Member> operator Member&() const& noexcept;
};
struct any_movable {
    template <typename Member> operator Member() const&& noexcept;
};
template <typename Class, std::size_t> using any_member =
    std::conditional_t<std::is_copy_constructible_v<Class>, any_copyable, any_movable>;

template <typename Union>
concept nameless_union = std::is_union_v<Union> && (type_name<Union>().contains("<unnamed union>") || // g++
                                                    type_name<Union>().contains("(anonymous union")); // clang

struct any_nameless_union {
    template <nameless_union Union> operator Union&() const noexcept;
};
struct nothing_at_all {};

/// Whether `Before` members, one in braces that takes `Inside`, and `After` more can be initialised.
template <typename Class, std::size_t Before, std::size_t Inside, std::size_t After>
consteval bool takes_in_braces() noexcept {
    return []<std::size_t... B, std::size_t... I, std::size_t... A>(
               std::index_sequence<B...>, std::index_sequence<I...>, std::index_sequence<A...>) {
        return requires { Class{any_member<Class, B>{}..., {any_member<Class, I>{}...}, any_member<Class, A>{}...}; };
    }(std::make_index_sequence<Before>{}, std::make_index_sequence<Inside>{}, std::make_index_sequence<After>{});
}

/// The most that fits into the braces at `At`: at least `Least`, less than `Limit`.
template <typename Class, std::size_t At, std::size_t Least, std::size_t Limit>
consteval std::size_t most_in_braces() noexcept {
    if constexpr (Least + 1 == Limit) {
        return Least;
    } else if constexpr (constexpr std::size_t middle = Least + (Limit - Least) / 2;
                         takes_in_braces<Class, At, middle, 0>()) {
        return most_in_braces<Class, At, middle, Limit>();
    } else {
        return most_in_braces<Class, At, Least, middle>();
    }
}

/// Whether a C array begins at `At` of `Count`: braces there leave too little room behind them, unless all of its
/// elements are counted as being inside.
template <typename Class, std::size_t At, std::size_t Count> consteval bool array_begins() noexcept {
    constexpr std::size_t behind = Count - At - 1;
    if constexpr (takes_in_braces<Class, At, 0, behind>()) {
        return false;
    } else {
        constexpr std::size_t size = most_in_braces<Class, At, 0, behind + 2>();
        return size > 1 && takes_in_braces<Class, At, size, Count - At - size>() &&
               !takes_in_braces<Class, At, size, behind>();
    }
}

template <typename Class, std::size_t At, std::size_t Count> struct array_at
    : std::bool_constant<array_begins<Class, At, Count>()> {};

template <typename Class, std::size_t At, std::size_t Count> consteval bool is_nameless_union() noexcept {
    return []<std::size_t... B, std::size_t... A>(std::index_sequence<B...>, std::index_sequence<A...>) {
        return requires { Class{any_member<Class, B>{}..., any_nameless_union{}, any_member<Class, A>{}...}; } &&
               !requires { Class{any_member<Class, B>{}..., nothing_at_all{}, any_member<Class, A>{}...}; };
    }(std::make_index_sequence<At>{}, std::make_index_sequence<Count - At - 1>{});
}

template <typename Class, std::size_t At, std::size_t Count> struct nameless_union_at
    : std::bool_constant<is_nameless_union<Class, At, Count>()> {};

/// Whether an aggregate has a C array of several elements as a member. Boost.PFR takes its elements for members.
template <typename Class> inline constexpr bool has_c_array = []<std::size_t... At>(std::index_sequence<At...>) {
    return std::disjunction_v<array_at<Class, At, sizeof...(At)>...>;
}(std::make_index_sequence<boost::pfr::tuple_size_v<Class>>{});

/// Whether an aggregate has a member that is a union without a name, which structured bindings do not take.
template <typename Class> inline constexpr bool has_nameless_union = []<std::size_t... At>(std::index_sequence<At...>) {
    return std::disjunction_v<nameless_union_at<Class, At, sizeof...(At)>...>;
}(std::make_index_sequence<boost::pfr::tuple_size_v<Class>>{});

} // namespace ferry::detail
