// expect: ferry: a member of a message must not be const, to be read into
#include <ferry/json/json_codec.hpp>

struct order_placed {
    const int number = 0;
};

template class ferry::json_codec<order_placed>;
