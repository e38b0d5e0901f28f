// What README.md says about two handlers of one event.

#include <ferry/ferry.hpp>
#include <ferry/memory/transport.hpp>

#include <atomic>
#include <iostream>
#include <latch>
#include <string>

namespace scales {

struct parcel_weighed {
    std::string parcel_id;
    int grams = 0;
};

} // namespace scales

int main() {
    std::atomic<int> billed = 0;
    std::atomic<int> loaded = 0;
    std::latch heard{2};
    const auto bill = [&](const scales::parcel_weighed& parcel) {
        billed = parcel.grams;
        heard.count_down();
    };
    const auto load = [&](const scales::parcel_weighed& parcel) {
        loaded = parcel.grams;
        heard.count_down();
    };

    ferry::bus_builder builder{"scales"};
    builder.transport(ferry::memory::transport{});
    // #region handlers
    builder.handle<scales::parcel_weighed>(bill, [](ferry::consumer_builder& consumer) { consumer.name("billing"); });
    builder.handle<scales::parcel_weighed>(load, [](ferry::consumer_builder& consumer) { consumer.name("loading"); });
    // #endregion

    ferry::bus bus = builder.build();
    bus.start();
    bus.publish(scales::parcel_weighed{"p-1", 1250});
    heard.wait();
    std::cout << billed << " g billed, " << loaded << " g loaded\n";
}
