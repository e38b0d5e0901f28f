// expect: a stage is callable as const with
#include <ferry/ferry.hpp>

struct order {
    int number = 0;
};
struct label {
    int number = 0;
};

void wrong(ferry::bus_builder& builder) {
    builder.use("wrong", [](int) {});
}
