#pragma once

#include "management.hpp"
#include "private_instance.hpp"

namespace ferry::testing {

/// A RabbitMQ that belongs to one test.
class private_broker {
public:
    [[nodiscard]] management api() const {
        return {servers_.port_in("FERRY_RABBITMQ_URL"), servers_.port_in("FERRY_RABBITMQ_HTTP")};
    }

    /// Ends as by kill -9.
    void crash() const { servers_.command("crash", "rabbitmq"); }
    /// Begins again on the same folder and ports; stops politely before that, if it runs.
    void restart() const { servers_.command("restart", "rabbitmq"); }
    /// As if the machine had no memory left: the broker takes no more messages from anybody.
    void raise_memory_alarm() const { servers_.command("control", "-- set_vm_memory_high_watermark absolute 1"); }
    void clear_memory_alarm() const { servers_.command("control", "-- set_vm_memory_high_watermark 0.6"); }

    /// As an operator would before maintenance.
    void close_connections(const std::string& vhost) const {
        servers_.command("control", "-- close_all_connections --vhost " + vhost + " maintenance");
    }

    /// The process of a classic queue does nothing, not even confirm, until it is resumed.
    void suspend(const std::string& vhost, const std::string& queue) const { tell("suspend", vhost, queue); }
    void resume(const std::string& vhost, const std::string& queue) const { tell("resume", vhost, queue); }

private:
    void tell(const std::string& what, const std::string& vhost, const std::string& queue) const {
        servers_.command("control", "-- eval '{ok, Q} = rabbit_amqqueue:lookup(rabbit_misc:r(<<\"" + vhost +
                                        "\">>, queue, <<\"" + queue + "\">>)), sys:" + what +
                                        "(amqqueue:get_pid(Q)).'");
    }

    private_instance servers_{"rabbitmq"};
};

/// The first base of a fixture whose other bases need the broker.
struct owner_of_a_broker {
    private_broker own;
};

} // namespace ferry::testing
