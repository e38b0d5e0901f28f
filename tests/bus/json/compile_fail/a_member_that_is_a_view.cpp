// expect: a std::string_view can be written but not read: use a std::string
#include <ferry/json/json_codec.hpp>

struct order_placed {
    std::string_view customer;
};

template class ferry::json_codec<order_placed>;
