#pragma once

#include <string>

namespace ferry::scenarios {

struct order_placed {
    std::string order_id;
};
struct ship_order {
    std::string order_id;
};
struct print_label {
    std::string order_id;
};
struct label_printed {
    std::string label;
};

} // namespace ferry::scenarios
