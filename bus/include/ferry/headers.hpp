#pragma once

#include <ferry/time.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ferry {

class header_value;
struct header;

/// The headers of a message: a short ordered list of names with typed values. Clearing keeps the memory of names and
/// texts, so a list that is reused stops allocating.
class headers {
public:
    headers() = default;
    headers(std::initializer_list<header> entries);
    headers(const headers& other);
    headers(headers&& other) noexcept;
    headers& operator=(const headers& other);
    headers& operator=(headers&& other) noexcept;
    ~headers();

    /// Sets the header of that name, in its old place if there is one, else behind the others.
    void set(std::string_view name, header_value value);
    template <std::convertible_to<std::string_view> Text> void set(std::string_view name, const Text& text) {
        set_text(name, text);
    }
    void erase(std::string_view name);
    void clear() noexcept { size_ = 0; }

    /// The value of that name, or nullptr.
    [[nodiscard]] const header_value* find(std::string_view name) const noexcept;
    [[nodiscard]] bool contains(std::string_view name) const noexcept { return find(name) != nullptr; }
    /// The text of that name; empty when it is missing or no text.
    [[nodiscard]] std::string_view text(std::string_view name) const noexcept;

    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
    [[nodiscard]] const header* begin() const noexcept;
    [[nodiscard]] const header* end() const noexcept;

    /// Makes room for one more entry and returns it, with whatever an earlier use left in it. For readers, which know
    /// that the name is new or do not care.
    [[nodiscard]] header& append();
    /// Takes the last entry out again; there must be one.
    void pop_back() noexcept { --size_; }

    friend bool operator==(const headers& a, const headers& b);

private:
    void set_text(std::string_view name, std::string_view text);
    [[nodiscard]] header* entry(std::string_view name) noexcept;

    std::vector<header> entries_; // the first `size_` are live, the rest keep their memory for later
    std::size_t size_ = 0;
};

/// What a header holds. The kinds are those that AMQP field tables and ferry's stores both keep. A whole number that no
/// std::int64_t holds throws ferry::error.
class header_value {
public:
    using bytes = std::vector<std::byte>;
    using array = std::vector<header_value>;
    using storage =
        std::variant<std::monostate, bool, std::int64_t, double, std::string, bytes, time_point, array, headers>;

    header_value() = default;
    header_value(bool value) : value_{value} {}
    template <typename Integer>
        requires(std::is_integral_v<Integer> && !std::is_same_v<Integer, bool>)
    header_value(Integer value) : value_{held(value)} {}
    header_value(double value) : value_{value} {}
    header_value(std::string value) : value_{std::move(value)} {}
    header_value(std::string_view value) : value_{std::string{value}} {}
    header_value(const char* value) : value_{std::string{value}} {}
    header_value(bytes value) : value_{std::move(value)} {}
    header_value(time_point value) : value_{value} {}
    header_value(array value) : value_{std::move(value)} {}
    header_value(headers value) : value_{std::move(value)} {}

    /// Makes this a text, in the memory of the text it may hold already.
    void assign_text(std::string_view text);

    [[nodiscard]] const storage& get() const noexcept { return value_; }
    [[nodiscard]] storage& get() noexcept { return value_; }
    template <typename Kind> [[nodiscard]] const Kind* as() const noexcept { return std::get_if<Kind>(&value_); }

    friend bool operator==(const header_value&, const header_value&) = default;

private:
    template <typename Integer> [[nodiscard]] static std::int64_t held(Integer value) {
        if constexpr (std::is_unsigned_v<Integer> && sizeof(Integer) >= sizeof(std::int64_t)) {
            refuse_beyond(static_cast<std::uint64_t>(value));
        }
        return static_cast<std::int64_t>(value);
    }
    /// Throws for what no std::int64_t holds.
    static void refuse_beyond(std::uint64_t value);

    storage value_;
};

struct header {
    std::string name;
    header_value value;

    friend bool operator==(const header&, const header&) = default;
};

} // namespace ferry
