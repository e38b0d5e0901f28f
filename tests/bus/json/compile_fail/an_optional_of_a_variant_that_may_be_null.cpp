// expect: a std::optional of what may be null itself would come back without one of the two levels
#include <ferry/json/json_codec.hpp>

struct order_placed {
    std::optional<std::variant<std::monostate, int>> coupon;
};

template class ferry::json_codec<order_placed>;
