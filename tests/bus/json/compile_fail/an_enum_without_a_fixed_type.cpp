// expect: this type has no JSON form
#include <ferry/json/json_codec.hpp>

enum colour { red, green };

struct order_placed {
    colour of_the_box = red;
};

template class ferry::json_codec<order_placed>;
