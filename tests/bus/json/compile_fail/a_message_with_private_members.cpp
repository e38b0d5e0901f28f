// expect: this message cannot be reflected
#include <ferry/json/json_codec.hpp>

class order_placed {
    int order_ = 0;
};

template class ferry::json_codec<order_placed>;
