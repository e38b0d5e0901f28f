#pragma once

#include <chrono>
#include <cstdint>
#include <string>

/// What the three services say to each other. Each message begins with the order it is about.
namespace shop {

using moment = std::chrono::sys_time<std::chrono::milliseconds>;

/// What the bank does depends on the card, as with the test cards real gateways have.
enum class card : std::uint8_t { good, declined, busy, outage };

/// Published by orders, in the transaction that wrote the order.
struct order_placed {
    std::string order_id;
    card paid_with = card::good;
    std::int64_t total_cents = 0;
};

/// Published by billing when the order is paid and has its invoice.
struct order_invoiced {
    std::string order_id;
    std::int64_t total_cents = 0;
};

/// Sent by orders to itself for later; cancelled when the order is paid before.
struct payment_reminder {
    std::string order_id;
};

/// Sent by orders to shipping: the customer takes the offer of the express. Worth nothing once that has run out.
struct book_express {
    std::string order_id;
};

/// Asked of the carrier by shipping, which waits for the answer.
struct print_label {
    std::string order_id;
};
struct label_printed {
    std::string label;
};

/// Sent by shipping to itself when it has the label.
struct ship_parcel {
    std::string order_id;
    std::string label;
};

enum class parcel_step : std::uint8_t { packed = 1, shipped = 2 };

/// Published by shipping, twice for each parcel, and in this order.
struct parcel_moved {
    std::string order_id;
    parcel_step step = parcel_step::packed;
};

} // namespace shop
