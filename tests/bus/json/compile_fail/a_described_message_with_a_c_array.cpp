// expect: ferry: a message cannot have a C array as a member: use a std::array
#include <ferry/json/json_codec.hpp>

#include <boost/describe/class.hpp>

struct order_placed {
    int quantities[3] = {};
};
BOOST_DESCRIBE_STRUCT(order_placed, (), (quantities))

template class ferry::json_codec<order_placed>;
