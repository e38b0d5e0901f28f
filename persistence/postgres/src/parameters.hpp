#pragma once

#include <ferry/time.hpp>
#include <ferry/uuid.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <vector>

namespace ferry::postgres {

/// PostgreSQL's numbers of the types of array elements.
enum class element : std::uint32_t { bytes = 17, number = 20, small = 21, text = 25, id = 2950 };

[[nodiscard]] inline std::int64_t stored(time_point moment) noexcept { return moment.time_since_epoch().count(); }
[[nodiscard]] inline time_point moment(std::int64_t stored) noexcept { return time_point{duration{stored}}; }

/// The parameters of one statement, in PostgreSQL's binary format.
class parameters {
public:
    template <typename Value> parameters& add(const Value& value) {
        begin();
        put(value);
        return *this;
    }
    /// One array with `value(row)` of each row: statements take any number of rows at once.
    template <std::ranges::sized_range Rows, typename Value>
    parameters& array(element type, const Rows& rows, Value&& value) {
        begin();
        put_array_head(type, std::ranges::size(rows));
        for (const auto& row : rows) {
            put_element(value(row));
        }
        return *this;
    }

    [[nodiscard]] int count() const noexcept { return static_cast<int>(begins_.size()); }
    /// Valid until something is added.
    [[nodiscard]] std::vector<const char*> values() const;
    [[nodiscard]] std::vector<int> lengths() const;

private:
    void begin() { begins_.push_back(bytes_.size()); }
    void put(std::int16_t value);
    void put(std::int32_t value);
    void put(std::int64_t value);
    void put(std::string_view value) { bytes_.append(value); }
    void put(const uuid& value);
    void put(time_point value) { put(stored(value)); }
    void put_array_head(element type, std::size_t count);
    template <typename Value> void put_element(const Value& value) {
        const std::size_t head = bytes_.size();
        put(std::int32_t{0});
        put(value);
        fill_in_length(head);
    }
    template <typename Value> void put_element(const std::optional<Value>& value) {
        value ? put_element(*value) : put(std::int32_t{-1});
    }
    void fill_in_length(std::size_t head);

    std::string bytes_;
    std::vector<std::size_t> begins_;
};

} // namespace ferry::postgres
