#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ferry {

/// A place a message can go to or come from: one queue, or an exchange that copies it to every queue bound to it. As
/// text `queue:billing` or `exchange:shop.order-placed`.
struct address {
    enum class kind_type : unsigned char { none, queue, exchange };

    kind_type kind = kind_type::none;
    std::string name;

    [[nodiscard]] static address queue(std::string_view name) { return {kind_type::queue, std::string{name}}; }
    [[nodiscard]] static address exchange(std::string_view name) { return {kind_type::exchange, std::string{name}}; }
    /// Reads the text form; a text of any other form is no address.
    [[nodiscard]] static std::optional<address> parse(std::string_view text);

    [[nodiscard]] bool empty() const noexcept { return kind == kind_type::none; }
    [[nodiscard]] std::string to_string() const;

    void assign(kind_type new_kind, std::string_view new_name) {
        kind = new_kind;
        name.assign(new_name);
    }
    void clear() noexcept {
        kind = kind_type::none;
        name.clear();
    }

    friend bool operator==(const address&, const address&) = default;
};

} // namespace ferry
