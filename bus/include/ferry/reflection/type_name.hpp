#pragma once

#include <cstddef>
#include <string_view>

namespace ferry {

namespace detail {

// A plain pointer as return type: with std::string_view, g++ would explain that alias at the end of the text.
template <typename Type> consteval const char* signature_with() noexcept { return __PRETTY_FUNCTION__; }

inline constexpr std::string_view signature_sample = signature_with<double>();
inline constexpr std::size_t signature_head = signature_sample.find("double");
inline constexpr std::size_t signature_tail =
    signature_sample.size() - signature_head - std::string_view{"double"}.size();

/// The part of a name behind its last `::` and before its template arguments.
[[nodiscard]] constexpr std::string_view unqualified(std::string_view name) noexcept {
    name = name.substr(0, name.find('<'));
    const std::size_t colon = name.rfind(':');
    return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

} // namespace detail

/// The name of a type as C++ spells it, with its namespaces: "shop::order_placed".
template <typename Type> [[nodiscard]] consteval std::string_view type_name() noexcept {
    std::string_view text = detail::signature_with<Type>();
    text.remove_prefix(detail::signature_head);
    text.remove_suffix(detail::signature_tail);
    return text;
}

/// The same without namespaces and template arguments: "order_placed".
template <typename Type> [[nodiscard]] consteval std::string_view unqualified_type_name() noexcept {
    return detail::unqualified(type_name<Type>());
}

} // namespace ferry
