#pragma once

#include <ferry/buffer.hpp>
#include <ferry/time.hpp>
#include <ferry/uuid.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <variant>
#include <vector>

namespace ferry::fuzz {

enum class colour : std::int8_t { red = -1, green, class_ = 100 };

struct part {
    std::string name;
    std::uint8_t count = 1;
    std::vector<part> parts{}; // as deep as the reader allows

    friend bool operator==(const part&, const part&) = default;
};

struct numbers {
    std::int8_t tiny = -1;
    std::int16_t small = 2;
    std::int32_t middle = 3;
    std::int64_t large = 4;
    std::uint16_t few = 5;
    std::uint32_t some = 6;
    std::uint64_t many = 7;
    float rough = 0.5F;
    double fine = 0.25;

    friend bool operator==(const numbers&, const numbers&) = default;
};

struct times {
    time_point at{};
    std::chrono::sys_seconds second{};
    std::chrono::sys_days day{};
    std::chrono::nanoseconds shortest{1};
    std::chrono::milliseconds wait{500};
    std::chrono::minutes minutes{};
    std::chrono::duration<std::int32_t, std::ratio<86'400>> days{};

    friend bool operator==(const times&, const times&) = default;
};

/// A message with everything that docs/messages.md says a message may contain.
struct rich_message {
    bool flag = true;
    std::string text = "text";
    numbers number{};
    times time{};
    uuid id{};
    colour favourite = colour::green;
    part root{};
    std::vector<std::byte> bytes{std::byte{7}};
    buffer raw{};
    std::optional<part> perhaps{};
    std::vector<bool> bits{true};
    std::deque<std::vector<std::string>> rows{};
    std::set<std::int32_t> chosen{};
    std::array<std::uint8_t, 2> pair{};
    std::tuple<std::string, double, bool> triple{};
    std::map<std::string, std::vector<part>> by_name{};
    std::map<uuid, colour> by_id{};
    std::map<colour, std::string> by_colour{};
    std::unordered_map<std::int16_t, std::optional<double>> by_number{};
    std::variant<std::monostate, part, std::string, std::int64_t, double, bool, uuid, std::vector<std::string>,
                 std::map<std::string, bool>, std::vector<std::byte>>
        choice{};

    friend bool operator==(const rich_message&, const rich_message&) = default;
};

} // namespace ferry::fuzz
