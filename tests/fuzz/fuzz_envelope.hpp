#pragma once

#include "fuzz_target.hpp"

#include <ferry/packed_envelope.hpp>

#include <algorithm>
#include <cmath>

namespace ferry::fuzz {

inline bool holds_nan(const header_value& value) {
    if (const auto* number = value.as<double>()) {
        return std::isnan(*number);
    }
    if (const auto* values = value.as<header_value::array>()) {
        return std::ranges::any_of(*values, holds_nan);
    }
    const auto* table = value.as<headers>();
    return table != nullptr && std::ranges::any_of(*table, holds_nan, &header::value);
}

/// An envelope as an earlier message may have left it: memory to be reused, and nothing of it to be seen again.
inline envelope used_envelope() {
    envelope used;
    used.kind = message_kind::reply;
    used.tenant = "blue";
    used.enclosed_types = {"urn:message:shop:event"};
    used.response = address::queue("replies");
    used.deliver_by = time_point::max();
    used.headers = {{"list", header_value::array{1, "two"}}, {"table", headers{{"inner", 1}}}, {"text", "t"}};
    used.body = buffer{"left over"};
    return used;
}

/// NaN does not equal itself, so an envelope that holds one can only be compared by its bytes.
inline void require_same(const envelope& one, const envelope& other, const char* property) {
    require(packed_envelope{one}.bytes() == packed_envelope{other}.bytes(), property);
    require(one == other || std::ranges::any_of(one.headers, holds_nan, &header::value), property);
}

} // namespace ferry::fuzz
