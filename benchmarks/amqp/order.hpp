#pragma once

#include <ferry/ferry.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

namespace bench {

struct order_placed {
    std::string order_id;
    std::string customer;
    int quantity = 0;
    double total = 0;
    std::int64_t sent_at = 0;
    std::string note;
};

[[nodiscard]] inline std::size_t size_as_json(const order_placed& order) {
    ferry::buffer body;
    ferry::json_codec<order_placed>{}.encode(&order, body);
    return body.size();
}

/// An order whose JSON has that many bytes.
[[nodiscard]] inline order_placed order_of_size(std::size_t size, std::int64_t sent_at) {
    order_placed order{"order-0000017", "customer-4711", 3, 99.5, sent_at, ""};
    order.note.assign(size - std::min(size, size_as_json(order)), 'x');
    return order;
}

} // namespace bench
