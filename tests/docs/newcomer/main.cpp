#include <ferry/ferry.hpp>
#include <ferry/memory/transport.hpp>

#include <iostream>
#include <string>

namespace scales {

struct weigh_parcel {
    std::string parcel_id;
};
struct parcel_weighed {
    std::string parcel_id;
    int grams = 0;
};

parcel_weighed weigh(const weigh_parcel& order) { return {order.parcel_id, 1250}; }

} // namespace scales

int main() {
    ferry::bus_builder builder{"scales"};
    builder.transport(ferry::memory::transport{});
    builder.serve<scales::weigh_parcel>(&scales::weigh);

    ferry::bus bus = builder.build();
    bus.start();
    const auto answer = bus.request<scales::parcel_weighed>(scales::weigh_parcel{"p-1"});
    std::cout << answer.parcel_id << " weighs " << answer.grams << " g\n";
}
