// expect: this message cannot be reflected: make it an aggregate without base classes, or describe its members
#include <ferry/json/json_codec.hpp>

struct event {
    int number = 0;
};
struct order_placed : event {
    int order = 0;
};

template class ferry::json_codec<order_placed>;
