// expect: this is not a handler of the message
#include <ferry/ferry.hpp>

struct order {
    int number = 0;
};
struct label {
    int number = 0;
};

void wrong(ferry::bus_builder& builder) {
    builder.serve<order>([](const order&, ferry::consume_context&, int) {});
}
