// expect: this handler returns a reply, so it answers requests: register it with serve
#include <ferry/ferry.hpp>

struct order {
    int number = 0;
};
struct label {
    int number = 0;
};

void wrong(ferry::bus_builder& builder) {
    builder.handle<order>([](const order&) { return label{}; });
}
