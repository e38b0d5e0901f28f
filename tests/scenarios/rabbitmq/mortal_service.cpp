#include "rabbit_messages.hpp"

#include <ferry/amqp/transport.hpp>
#include <ferry/ferry.hpp>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>

// mortal_service URL quorum|classic DIARY: a service that dies with the order "poison", and ends with the order "last".
// Writes down how often each was handed out before.
int main(int count, char** arguments) {
    using namespace ferry;
    if (count != 4) {
        std::cerr << "mortal_service URL quorum|classic DIARY\n";
        return EXIT_FAILURE;
    }
    std::ofstream diary{arguments[3], std::ios::app};
    amqp::transport_options options;
    options.queues = std::string{arguments[2]} == "classic" ? amqp::queue_type::classic : amqp::queue_type::quorum;
    options.delivery_limit = 3;
    bus_builder builder{"billing"};
    builder.transport(amqp::transport{arguments[1], options});
    builder.handle<scenarios::order_placed>([&](const scenarios::order_placed& order, consume_context& context) {
        diary << order.order_id << ' ' << context.delivery().earlier_deliveries() << std::endl;
        if (order.order_id == "poison") {
            std::_Exit(3);
        }
        std::raise(SIGTERM);
    });
    builder.build().run();
    return EXIT_SUCCESS;
}
