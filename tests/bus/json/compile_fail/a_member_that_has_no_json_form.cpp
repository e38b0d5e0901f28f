// expect: this type has no JSON form: a message may hold the types listed in docs/messages.md
#include <ferry/json/json_codec.hpp>

struct order_placed {
    int* order = nullptr;
};

template class ferry::json_codec<order_placed>;
