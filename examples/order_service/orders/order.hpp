#pragma once

#include "../shared/messages.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shop {

struct order_line {
    std::string article;
    std::int32_t quantity = 1;
    std::int64_t price_cents = 0;
};

/// What a customer sends, as JSON. Who sends an id may send the order twice, and it is placed once.
struct order {
    std::optional<std::string> order_id = {};
    std::string tenant;
    card paid_with = card::good;
    std::vector<order_line> lines = {};
    std::optional<moment> express_until = {}; ///< the customer takes the express, offered until then
};

/// Throws ferry::decode_error, which names the place that is wrong.
[[nodiscard]] order read_order(std::string_view json);
[[nodiscard]] std::string to_json(const order& which);

/// Why the shop does not take it, in a sentence for the customer; empty when it does.
[[nodiscard]] std::string complaint_about(const order& which);

[[nodiscard]] std::int64_t total_of(const order& which);

} // namespace shop
