#pragma once

#include <ferry/time.hpp>
#include <ferry/uuid.hpp>

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace shop {

enum class channel { web, app, phone };

struct line {
    std::string article;
    std::uint8_t quantity = 1;
    double price = 0;

    friend bool operator==(const line&, const line&) = default;
};

struct card_payment {
    std::string number;

    friend bool operator==(const card_payment&, const card_payment&) = default;
};

struct voucher {
    std::int32_t value = 0;

    friend bool operator==(const voucher&, const voucher&) = default;
};

struct order {
    ferry::uuid id{};
    std::string customer = "nobody";
    channel placed_by = channel::app;
    ferry::time_point placed_at{};
    std::chrono::milliseconds patience{500};
    std::vector<line> lines{};
    std::map<std::string, std::int64_t> prices{};
    std::optional<std::string> note{};
    std::variant<std::monostate, card_payment, voucher> payment{};
    std::vector<std::byte> signature{};
    bool gift = false;

    friend bool operator==(const order&, const order&) = default;
};

} // namespace shop
