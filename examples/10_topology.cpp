// What a service needs at RabbitMQ, said in full and handed to those who run the broker. Nothing is connected here.
// Look at: one queue gets the ships of European harbours only, one consumer at a time; and the program prints the
// definitions file that `rabbitmqctl import_definitions` reads.

#include <ferry/amqp/definitions.hpp>
#include <ferry/amqp/transport.hpp>
#include <ferry/ferry.hpp>

#include <iostream>

namespace harbour {

struct ship_arrived {
    std::string name;
    std::string harbour; // "eu.rotterdam"
};

} // namespace harbour

namespace {

ferry::amqp::transport_options options() {
    // #region topology
    using namespace ferry::amqp;
    transport_options options;
    options.topology = {
        .queues = {{.name = "customs.ship-arrived",
                    .delivery_limit = 5,
                    .single_active_consumer = true,
                    .arguments = {{"x-max-length", 10'000}}},
                   {.name = "archive", .type = queue_type::classic}},
        .exchanges = {{.name = "harbour.ship-arrived", .type = exchange_type::topic},
                      {.name = "legacy.ships", .type = exchange_type::direct, .provision = false}},
        .bindings = {{.exchange = "harbour.ship-arrived",
                      .target = ferry::address::queue("customs.ship-arrived"),
                      .routing_key = "eu.*"},
                     {.exchange = "legacy.ships", .target = ferry::address::queue("archive"), .routing_key = "all"}},
    };
    // #endregion
    return options;
}

} // namespace

int main() {
    ferry::bus_builder builder{"customs"};
    ferry::amqp::transport_options wanted = options();
    // #region provision
    wanted.provision = {.queues = false, .exchanges = false, .bindings = false, .delays = false};
    // #endregion
    builder.transport(ferry::amqp::transport{"amqp://rabbit.example/harbour", wanted});
    builder.handle<harbour::ship_arrived>([](const harbour::ship_arrived& ship) { std::cout << ship.name << '\n'; });
    // #region routing_key
    builder.routing_key<harbour::ship_arrived>(&harbour::ship_arrived::harbour);
    // #endregion
    // #region definitions
    const ferry::bus bus = builder.build(); // or an error that lists everything that contradicts itself
    std::cout << ferry::amqp::definitions(bus);
    // #endregion
}
