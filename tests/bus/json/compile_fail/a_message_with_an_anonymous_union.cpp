// expect: ferry: a message cannot have an anonymous union as a member: use a std::variant
#include <ferry/json/json_codec.hpp>

struct order_placed {
    std::string customer;
    union {
        int pieces = 0;
        float metres;
    };
};

template class ferry::json_codec<order_placed>;
