#include <ferry/ferry.hpp>
#include <ferry/memory/transport.hpp>
#include <ferry/sqlite/store.hpp>

#include <chrono>
#include <iostream>
#include <latch>
#include <stdexcept>
#include <string>

using namespace std::chrono_literals;

// #region messages
namespace bakery {

struct bake_bread { // to be done, by the one who has the oven
    std::string loaf_id;
};
struct bread_baked { // has happened, for everybody who wants to know
    std::string loaf_id;
    int minutes = 0;
};

} // namespace bakery
// #endregion

// #region handler
namespace bakery {

struct oven_is_cold : std::runtime_error {
    using std::runtime_error::runtime_error;
};

void bake(const bake_bread& order, ferry::consume_context& context) {
    if (context.attempt().is_first()) {
        throw oven_is_cold{"the oven needs a moment for " + order.loaf_id};
    }
    context.publish(bread_baked{order.loaf_id, 35});
}

} // namespace bakery
// #endregion

int main() {
    std::latch on_the_shelf{1};
    // #region builder
    ferry::bus_builder builder{"bakery"};
    builder.transport(ferry::memory::transport{});
    // #endregion
    // #region policy
    builder.resilience([](ferry::exception_policy& policy) { policy.on<bakery::oven_is_cold>().retry(3, 100ms); });
    // #endregion
    // #region register
    builder.serve<bakery::bake_bread>(&bakery::bake);
    builder.handle<bakery::bread_baked>([&](const bakery::bread_baked& loaf) {
        std::cout << loaf.loaf_id << " was in the oven for " << loaf.minutes << " minutes\n";
        on_the_shelf.count_down();
    });
    // #endregion
    // #region store
    builder.persistence(ferry::sqlite::store{"bakery.db"});
    // #endregion

    // #region run
    ferry::bus bus = builder.build();
    bus.start();
    bus.send(bakery::bake_bread{"loaf-1"});
    on_the_shelf.wait();
    bus.stop();
    std::cout << bus.counts().retries << " retry, " << bus.counts().handled << " messages handled\n";
    // #endregion
}
