// expect: this message cannot be reflected
#include <ferry/json/json_codec.hpp>

template class ferry::json_codec<int>;
