// expect: ferry:
#include <ferry/ferry.hpp>

struct order {
    int number = 0;
};
struct label {
    int number = 0;
};

class secret {
    int number_ = 0;
};
void wrong(ferry::bus_builder& builder) {
    builder.serve<order>([](const order&) { return secret{}; });
}
