#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace ferry {

class json_reader;

/// Which members of an object the JSON had.
class json_seen {
public:
    static constexpr std::size_t capacity = 256;

    void insert(std::size_t index) noexcept {
        std::uint64_t& word = words_[index / 64];
        const std::uint64_t bit = std::uint64_t{1} << (index % 64);
        count_ += (word & bit) == 0 ? 1 : 0;
        word |= bit;
    }
    [[nodiscard]] bool contains(std::size_t index) const noexcept {
        return (words_[index / 64] >> (index % 64) & 1) != 0;
    }
    [[nodiscard]] std::size_t count() const noexcept { return count_; }

private:
    std::array<std::uint64_t, capacity / 64> words_{};
    std::size_t count_ = 0;
};

struct json_field {
    std::string_view name;
    void (*read)(json_reader& in, void* object);
    bool required;
};

/// What the reader knows about a class: a table instead of a template, so that the loop over an object's members exists
/// once and not once for each class.
struct json_shape {
    std::span<const json_field> fields;
    void (*reset_missing)(void* object, const json_seen& seen);

    static constexpr std::size_t unknown = static_cast<std::size_t>(-1);

    /// The field of that name. Writers keep the order of declaration, so the one after the last is tried first.
    [[nodiscard]] std::size_t find(std::string_view name, std::size_t likely) const noexcept {
        if (likely < fields.size() && fields[likely].name == name) {
            return likely;
        }
        for (std::size_t index = 0; index < fields.size(); ++index) {
            if (fields[index].name == name) {
                return index;
            }
        }
        return unknown;
    }
};

} // namespace ferry
