// expect: two enumerators have the same name in JSON
#include <ferry/json/json_codec.hpp>

enum class colour { red, red_ };

struct order_placed {
    colour of_the_box = colour::red;
};

template class ferry::json_codec<order_placed>;
