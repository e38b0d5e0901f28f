// expect: ferry: a message cannot have a C array as a member: use a std::array
#include <ferry/json/json_codec.hpp>

struct order_placed {
    int quantities[1] = {};
};

template class ferry::json_codec<order_placed>;
