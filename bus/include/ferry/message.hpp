#pragma once

#include <ferry/address.hpp>
#include <ferry/json/json_codec.hpp>
#include <ferry/message_codec.hpp>
#include <ferry/naming.hpp>
#include <ferry/reflection.hpp>

#include <array>
#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace ferry {

/// A list of message types, for `encloses`.
template <typename... Messages> struct message_list {};

/// What ferry knows of a message beside its fields. A message states it in members of its own,
///
///     struct order_placed_v2 {
///         static constexpr std::string_view message_name = "orders.placed";
///         static constexpr int message_version = 2;
///         static constexpr std::string_view message_destination = "queue:orders";   // where send and request take it
///         using encloses = ferry::message_list<order_placed>;   // handlers of order_placed get it, too
///         ...
///     };
///
/// or, for a type that cannot be touched, in a specialisation of this template.
template <typename Message> struct message_traits {
    static constexpr std::string_view name = [] {
        if constexpr (requires { std::string_view{Message::message_name}; }) {
            return std::string_view{Message::message_name};
        } else {
            return std::string_view{};
        }
    }();
    static constexpr int version = [] {
        if constexpr (requires { int{Message::message_version}; }) {
            return int{Message::message_version};
        } else {
            return 0;
        }
    }();
    static constexpr std::string_view destination = [] {
        if constexpr (requires { std::string_view{Message::message_destination}; }) {
            return std::string_view{Message::message_destination};
        } else {
            return std::string_view{};
        }
    }();
    static constexpr auto encloses = [] {
        if constexpr (requires { typename Message::encloses; }) {
            return typename Message::encloses{};
        } else {
            return message_list<>{};
        }
    }();
};

/// The codecs of a message. The first writes what is sent; whichever has the content type of a body reads it.
/// Specialise it to bring a format of your own, for one type or for a family of them:
///
///     template <std::derived_from<google::protobuf::MessageLite> Message>
///     struct ferry::message_codecs<Message> { using list = ferry::codec_list<protobuf_codec<Message>>; };
template <typename... Codecs> struct codec_list {};
template <typename Message> struct message_codecs {
    using list = codec_list<json_codec<Message>>;
};

/// A type of message, as the bus knows it at run time. One object for each type, for as long as the program runs.
struct message_type {
    std::string urn;                           ///< on the wire: `urn:message:shop:order-placed`
    std::string name;                          ///< in names of exchanges: `shop.order-placed`
    std::string short_name;                    ///< in names of queues: `order-placed`
    std::string version_mark;                  ///< what the three end with: `.v2`; empty for one without a version
    std::string cpp_name;                      ///< without its namespaces: `order_placed`
    address destination;                       ///< where it says itself that it is sent; mostly nothing
    std::vector<const message_type*> encloses; ///< the types it can also be read as, and those they can be read as
    std::vector<const message_codec*> codecs;

    [[nodiscard]] const message_codec& default_codec() const noexcept { return *codecs.front(); }
    /// The codec that reads this content type, parameters (`; charset=...`) aside; none stated means the first. Nullptr
    /// when there is none.
    [[nodiscard]] const message_codec* codec_for(std::string_view content_type) const noexcept;

    template <typename Message> [[nodiscard]] static const message_type& of();

private:
    // Specialisations of message_traits may leave it away.
    template <typename Message> [[nodiscard]] static constexpr std::string_view message_traits_destination() {
        if constexpr (requires { message_traits<Message>::destination; }) {
            return message_traits<Message>::destination;
        } else {
            return {};
        }
    }
    // What address::parse takes, said while compiling.
    [[nodiscard]] static constexpr bool is_address(std::string_view text) {
        const auto names_one = [text](std::string_view scheme) {
            return text.starts_with(scheme) && text.size() > scheme.size();
        };
        return names_one("queue:") || names_one("exchange:");
    }
    [[nodiscard]] static message_type described(std::string_view cpp_name, std::string_view stated_name, int version);
    template <typename... Bases> static void enclose(message_type& type, message_list<Bases...> /*bases*/) {
        (type.enclose(of<Bases>()), ...);
    }
    void enclose(const message_type& base);
    template <typename... Codecs> static void provide(message_type& type, codec_list<Codecs...> /*codecs*/) {
        static_assert(sizeof...(Codecs) > 0, "ferry: message_codecs<Message>::list is empty; name at least one codec.");
        static const std::tuple<Codecs...> codecs;
        std::apply([&](const auto&... each) { (type.codecs.push_back(&each), ...); }, codecs);
    }
};

template <typename Message> const message_type& message_type::of() {
    static_assert(std::is_same_v<Message, std::remove_cvref_t<Message>>,
                  "ferry: a message type is named without const or &.");
    static constexpr std::string_view taken_to = message_traits_destination<Message>();
    static_assert(taken_to.empty() || is_address(taken_to),
                  "ferry: the message_destination of this message is no address; write queue:NAME or exchange:NAME.");
    static const message_type known = [] {
        message_type type =
            described(type_name<Message>(), message_traits<Message>::name, message_traits<Message>::version);
        type.destination = address::parse(taken_to).value_or(address{});
        enclose(type, message_traits<Message>::encloses);
        provide(type, typename message_codecs<Message>::list{});
        return type;
    }();
    return known;
}

/// A message somebody wants to send, before it is bytes.
struct message_ref {
    const message_type* type = nullptr;
    const void* object = nullptr;

    template <typename Message> explicit message_ref(const Message& message)
        : type{&message_type::of<Message>()}, object{&message} {}
    message_ref() = default;
};

} // namespace ferry
