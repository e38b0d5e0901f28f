#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace ferry {

struct message_type;

/// `OrderPlaced`, `order_placed` and `orderPlaced` as `order-placed`; acronyms stay together (`HTTPServer` is
/// `http-server`), digits stay with the word before them, and anything else becomes a dash.
[[nodiscard]] std::string kebab_case(std::string_view name);

/// A C++ name without the marks compilers leave where a namespace has no name.
[[nodiscard]] std::string without_anonymous_namespaces(std::string_view cpp_name);

/// `shop::billing::OrderPlaced` as `urn:message:shop.billing:order-placed`.
[[nodiscard]] std::string type_urn(std::string_view cpp_name);

/// A C++ name without its namespaces: `OrderPlaced` of `shop::billing::OrderPlaced`.
[[nodiscard]] std::string own_name(std::string_view cpp_name);

/// How queues and exchanges are called when nobody names them. Derive from it to bring a house convention of your own;
/// every name can also be set one by one in the builder.
class naming {
public:
    virtual ~naming() = default;

    /// The exchange a message is published to: `shop.order-placed`.
    [[nodiscard]] virtual std::string exchange(const message_type& message) const;
    /// The queue a message is sent to, and requested from: `print-label`. Empty: the bus's default route.
    [[nodiscard]] virtual std::string message_queue(const message_type& message) const;
    /// The part of a subscriber's queue that tells handlers of one service apart; from the handler's C++ name, or from
    /// the message where the handler has none (a lambda, a function).
    [[nodiscard]] virtual std::string handler(std::string_view cpp_name, const message_type& message) const;
    /// The queue of one handler of published messages: `billing.order-placed`.
    [[nodiscard]] virtual std::string subscriber_queue(std::string_view service, std::string_view handler) const;
    /// The queue replies to one running instance come to.
    [[nodiscard]] virtual std::string reply_queue(std::string_view service, std::string_view instance) const;
    [[nodiscard]] virtual std::string error_queue(std::string_view queue) const;
    [[nodiscard]] virtual std::string skipped_queue(std::string_view queue) const;
};

/// How the queues of messages are written: `print-label`, `print_label`, or as the C++ type is, `PrintLabel`.
enum class name_style : unsigned char { kebab, snake, type_name };

/// The convention with another style for the queues messages are sent to, and a prefix before each of them.
class styled_naming : public naming {
public:
    explicit styled_naming(name_style style, std::string prefix = {}) : style_{style}, prefix_{std::move(prefix)} {}

    [[nodiscard]] std::string message_queue(const message_type& message) const override;

private:
    name_style style_;
    std::string prefix_;
};

} // namespace ferry
