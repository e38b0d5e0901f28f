// expect: this stage could go into several pipelines
#include <ferry/ferry.hpp>

struct order {
    int number = 0;
};
struct label {
    int number = 0;
};

void wrong(ferry::bus_builder& builder) {
    builder.use("wrong", [](auto& context, auto next) { next(context); });
}
