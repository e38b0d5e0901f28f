#pragma once

#include <string>

namespace ferry {
class bus;
}

namespace ferry::amqp {

/// Everything a bus on RabbitMQ needs at its broker, whether ferry may create it or not, as a definitions file:
/// `rabbitmqctl import_definitions` and the management's `POST /api/definitions` read it. Asks no broker. Leaves out
/// the reply queue, which each instance makes for itself. Throws ferry::error when the bus is on another transport.
[[nodiscard]] std::string definitions(const bus& of);

} // namespace ferry::amqp
