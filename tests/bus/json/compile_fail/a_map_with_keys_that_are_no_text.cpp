// expect: the keys of a map must be strings, UUIDs, enums or integers
#include <ferry/json/json_codec.hpp>

#include <map>

struct order_placed {
    std::map<double, int> discounts;
};

template class ferry::json_codec<order_placed>;
