#pragma once

#include <chrono>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

namespace shop {

struct order_line {
    std::string article;
    int quantity = 1;
    std::int64_t price_cents = 0;
};

/// What the bank does with a card depends on the card, as with the test cards that real banks give to shops.
enum class card { good, declined, of_a_busy_bank, of_a_closed_bank };

/// Published by orders when a customer has placed one.
struct order_placed {
    std::string order_id;
    std::vector<order_line> lines;
    card paid_with = card::good;
    std::chrono::sys_time<std::chrono::milliseconds> placed_at;
};

[[nodiscard]] inline std::int64_t total_of(const order_placed& order) {
    return std::accumulate(
        order.lines.begin(), order.lines.end(), std::int64_t{0},
        [](std::int64_t sum, const order_line& line) { return sum + line.quantity * line.price_cents; });
}

/// Published by billing when the order has its invoice.
struct invoice_created {
    std::string order_id;
    std::int64_t total_cents = 0;
};

/// Asked of the label printer by shipping, which waits for the answer.
struct print_label {
    std::string order_id;
};
struct label_printed {
    std::string label;
};

/// Published by shipping when the parcel has left.
struct order_shipped {
    std::string order_id;
    std::string label;
};

/// Sent to billing by mistake; nobody there handles it.
struct price_list {
    std::string season;
};

} // namespace shop
