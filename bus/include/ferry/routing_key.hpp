#pragma once

#include <ferry/reflection/enum_names.hpp>

#include <concepts>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace ferry {

/// Appends the routing key of a message, which is of the type the rule was made for.
using routing_key_rule = std::function<void(const void* message, std::string& key)>;

namespace detail {

template <typename Part> void append_to_key(const Part& part, std::string& key) {
    if constexpr (std::convertible_to<const Part&, std::string_view>) {
        key += std::string_view{part};
    } else if constexpr (nameable_enum<Part>) {
        key += enum_name(part);
    } else {
        static_assert(std::integral<Part> && !std::same_as<Part, bool>,
                      "ferry: a routing key is a text, a whole number or an enumerator; return one of these.");
        key += std::to_string(part);
    }
}

} // namespace detail

/// The rule that takes the key from a member, `&order_placed::region`, or from what a function of the message returns.
template <typename Message, typename Source> [[nodiscard]] routing_key_rule routing_key_from(Source source) {
    static_assert(std::invocable<const Source&, const Message&>,
                  "ferry: a routing key comes from a member of the message or from a function that takes it: "
                  "routing_key<order_placed>(&order_placed::region).");
    return [source = std::move(source)](const void* message, std::string& key) {
        detail::append_to_key(std::invoke(source, *static_cast<const Message*>(message)), key);
    };
}

} // namespace ferry
