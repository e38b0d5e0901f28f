// expect: ferry: a message cannot have a C array as a member: use a std::array
#include <ferry/json/json_codec.hpp>

struct order_placed {
    std::string customer;
    int quantities[3] = {};
};

template class ferry::json_codec<order_placed>;
