#pragma once

#include <ferry/amqp/topology.hpp>
#include <ferry/settings.hpp>
#include <ferry/time.hpp>

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <string>

namespace ferry::amqp {

/// What happens to a message that was written to a connection which then broke before the broker confirmed it. It may
/// have arrived. `fail` tells its sender, who knows whether to send it again; `resend` sends it again with the same
/// message id, so it may arrive twice.
enum class unconfirmed : unsigned char { fail, resend };

/// How the broker proves who it is, and who asks. Used for amqps:// only, where the broker's certificate and host name
/// are verified unless that is switched off here.
struct tls_options {
    std::string ca_file = {};          ///< who may sign; empty: whoever the system trusts
    std::string certificate_file = {}; ///< the client's own, if the broker asks for one; PEM
    std::string key_file = {};         ///< of that certificate
    bool verify = true;
};

struct transport_options {
    std::string name = "ferry"; ///< what the broker's management shows for the connections
    queue_type queues = queue_type::quorum;
    std::optional<int> delivery_limit = 20; ///< how often a queue hands out a message again that is never settled
    provisioning provision = {};
    topology_options topology = {};
    tls_options tls = {};

    std::chrono::seconds heartbeat{10}; ///< a dead peer is noticed within two of them; 0 switches them off
    duration connect_timeout = std::chrono::seconds{10};
    duration operation_timeout = std::chrono::seconds{30}; ///< of a declaration, say
    backoff_options reconnect = {};                        ///< between rounds of attempts
    std::optional<duration> give_up_after = {};            ///< how long `start` waits for a broker; without: for ever
    duration watchdog_interval =
        std::chrono::seconds{30}; ///< how often everything is declared again, and the broker asked for our consumers

    std::size_t window = 1000;              ///< how many messages may be on their way, unconfirmed
    std::size_t max_waiting_sends = 10'000; ///< how many more may wait for their turn; the next one fails at once
    std::size_t max_waiting_bytes = std::size_t{64} << 20; ///< of all that are on their way or wait; one always may
    std::size_t max_message_size = std::size_t{16} << 20;  ///< of a body; as RabbitMQ's own setting of that name
    duration send_timeout = std::chrono::seconds{30};
    unconfirmed when_connection_breaks = unconfirmed::fail;

    /// The types of messages of programs that set none, by routing key or queue.
    std::map<std::string, std::string> types_by_routing_key = {};
};

} // namespace ferry::amqp
