#pragma once

#include <boost/describe/enumerators.hpp>
#include <boost/mp11/algorithm.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

namespace ferry {

/// The values among which enumerators are found without being described.
inline constexpr int enum_scan_first = -16;
inline constexpr int enum_scan_last = 127;

template <typename Enum> struct named_value {
    std::string_view name;
    Enum value;
};

/// An enum whose enumerators ferry can name. One without a fixed underlying type must be described: to ask for values
/// beyond the bits of its enumerators is undefined.
template <typename Enum>
concept nameable_enum = std::is_enum_v<Enum> && !std::is_same_v<Enum, std::byte> &&
                        (boost::describe::has_describe_enumerators<Enum>::value || requires { Enum{0}; });

namespace detail {

template <typename Enum, Enum... Values> consteval const char* signature_with_values() noexcept {
    return __PRETTY_FUNCTION__;
}

template <typename Enum> consteval int scan_start() noexcept {
    using number = std::underlying_type_t<Enum>;
    return std::is_signed_v<number> ? enum_scan_first : 0;
}

template <typename Enum> consteval int scan_end() noexcept {
    using number = std::underlying_type_t<Enum>;
    constexpr auto most = std::numeric_limits<number>::max();
    return std::cmp_less(most, enum_scan_last) ? static_cast<int>(most) : enum_scan_last;
}

/// Every value in the range in one text, so that an enum costs one instantiation and not one for each value.
template <typename Enum, int First, int... Offset>
consteval std::string_view scan(std::integer_sequence<int, Offset...>) noexcept {
    return signature_with_values<Enum, static_cast<Enum>(First + Offset)...>();
}

/// Where the first value of the list ends: at a comma that is not part of a type's own name.
constexpr std::size_t value_size(std::string_view list) noexcept {
    int depth = 0;
    for (std::size_t at = 0; at < list.size(); ++at) {
        depth += list[at] == '<' ? 1 : list[at] == '>' ? -1 : 0;
        if (list[at] == ',' && depth == 0) {
            return at;
        }
    }
    return list.size();
}

/// Takes the next value off the list; what is no enumerator is spelt as a cast or a number, and has no name.
constexpr std::string_view take_name(std::string_view& list) noexcept {
    const std::string_view value = list.substr(0, value_size(list));
    list.remove_prefix(std::min(list.size(), value.size() + 2));
    const std::string_view name = value.substr(value.rfind(':') + 1);
    const bool number = name.empty() || name[0] == '-' || (name[0] >= '0' && name[0] <= '9');
    return number || name.contains(')') ? std::string_view{} : name;
}

/// The values between the brackets: g++ writes `Values = {a, b}]`, clang `Values = <a, b>]`.
constexpr std::string_view value_list(std::string_view signature) noexcept {
    constexpr std::string_view head = "Values = {";
    signature.remove_prefix(signature.find(head.substr(0, head.size() - 1)) + head.size());
    signature.remove_suffix(std::string_view{"}]"}.size());
    return signature;
}

template <typename Enum, int First, int Count> struct scanned {
    static constexpr std::string_view list = value_list(scan<Enum, First>(std::make_integer_sequence<int, Count>{}));

    static consteval std::size_t count() noexcept {
        std::string_view rest = list;
        std::size_t named = 0;
        for (int i = 0; i < Count; ++i) {
            named += take_name(rest).empty() ? 0 : 1;
        }
        return named;
    }

    static consteval auto names() noexcept {
        std::array<named_value<Enum>, count()> found{};
        std::string_view rest = list;
        std::size_t at = 0;
        for (int i = 0; i < Count; ++i) {
            if (const std::string_view name = take_name(rest); !name.empty()) {
                found[at++] = {name, static_cast<Enum>(First + i)};
            }
        }
        return found;
    }
};

template <typename Enum> consteval auto described_names() noexcept {
    return []<typename... Item>(boost::mp11::mp_list<Item...>) {
        return std::array<named_value<Enum>, sizeof...(Item)>{named_value<Enum>{Item::name, Item::value}...};
    }(boost::mp11::mp_rename<boost::describe::describe_enumerators<Enum>, boost::mp11::mp_list>{});
}

template <typename Enum> consteval auto find_names() noexcept {
    if constexpr (boost::describe::has_describe_enumerators<Enum>::value) {
        return described_names<Enum>();
    } else {
        constexpr int first = scan_start<Enum>();
        return scanned<Enum, first, scan_end<Enum>() - first + 1>::names();
    }
}

} // namespace detail

/// The enumerators of an enum with their names: those of BOOST_DESCRIBE_ENUM if there is one, else all that lie from
/// `enum_scan_first` to `enum_scan_last`.
template <nameable_enum Enum> inline constexpr auto enum_names = detail::find_names<Enum>();

/// The name of a value; empty when it has none.
template <nameable_enum Enum> [[nodiscard]] constexpr std::string_view enum_name(Enum value) noexcept {
    for (const auto& item : enum_names<Enum>) {
        if (item.value == value) {
            return item.name;
        }
    }
    return {};
}

template <nameable_enum Enum> [[nodiscard]] constexpr std::optional<Enum> enum_value(std::string_view name) noexcept {
    for (const auto& item : enum_names<Enum>) {
        if (item.name == name) {
            return item.value;
        }
    }
    return std::nullopt;
}

} // namespace ferry
