// The same bus over RabbitMQ: only the transport is another one. FERRY_RABBITMQ_URL says where the broker is.
// Look at: the queue outlives the program. What was published while nobody ran is handled by the next who starts, so
// there may be more than one arrival.

#include <ferry/amqp/transport.hpp>
#include <ferry/ferry.hpp>

#include <cstdlib>
#include <iostream>
#include <semaphore>

namespace harbour {

struct ship_arrived {
    std::string name;
};

} // namespace harbour

int main() {
    using namespace std::chrono_literals;
    const char* const known = std::getenv("FERRY_RABBITMQ_URL");
    const std::string url = known == nullptr ? "amqp://guest:guest@127.0.0.1:5672" : known;
    std::counting_semaphore<> heard{0};
    ferry::bus_builder builder{"harbour"};
    // #region transport
    builder.transport(ferry::amqp::transport{url, {.name = "harbour", .give_up_after = 30s}});
    // #endregion
    builder.handle<harbour::ship_arrived>([&](const harbour::ship_arrived& ship) {
        std::cout << ship.name << " has arrived\n";
        heard.release();
    });

    ferry::bus bus = builder.build();
    bus.start();                                       // declares queue and exchange, and consumes
    bus.publish(harbour::ship_arrived{"the Minerva"}); // returns when the broker has confirmed it
    heard.acquire();
    bus.stop();
}
