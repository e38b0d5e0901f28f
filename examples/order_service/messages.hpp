#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace shop {

struct order_line {
    std::string article;
    int quantity = 1;
    std::int64_t price_cents = 0;
};

/// Published by orders when a customer has placed one.
struct order_placed {
    std::string order_id;
    std::vector<order_line> lines;
    std::chrono::sys_time<std::chrono::milliseconds> placed_at;
};

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

} // namespace shop
