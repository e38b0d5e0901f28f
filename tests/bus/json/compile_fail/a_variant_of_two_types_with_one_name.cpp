// expect: two alternatives of a std::variant have the same name in JSON
#include <ferry/json/json_codec.hpp>

namespace cash {
struct payment {};
} // namespace cash
namespace card {
struct payment {};
} // namespace card

struct order_placed {
    std::variant<cash::payment, card::payment> paid_by;
};

template class ferry::json_codec<order_placed>;
