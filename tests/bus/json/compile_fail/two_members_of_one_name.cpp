// expect: two members have the same name in JSON
#include <ferry/json/json_codec.hpp>

struct order_placed {
    int name = 0;
    int name_ = 0;
};

template class ferry::json_codec<order_placed>;
