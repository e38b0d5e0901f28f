#pragma once

#include <ferry/address.hpp>
#include <ferry/headers.hpp>
#include <ferry/topology.hpp>

#include <optional>
#include <string>
#include <vector>

namespace ferry::amqp {

/// How the broker keeps a queue: replicated and crash-safe, or on one node and a little cheaper.
enum class queue_type : unsigned char { quorum, classic };

/// Which of the queues bound to it an exchange copies a message to: all; those whose key is that of the message; those
/// whose pattern fits the key, `*` for a word and `#` for any number of them; those whose arguments fit the headers.
enum class exchange_type : unsigned char { fanout, direct, topic, headers };

/// What RabbitMQ calls arguments, by their names: `{{"x-max-length", 1000}}`. Values are texts, whole numbers, true or
/// false.
using arguments = ferry::headers;

/// What ferry may create at the broker. What it may not is expected to be there.
struct provisioning {
    bool queues = true;
    bool exchanges = true;
    bool bindings = true;
    bool delays = true; ///< the queues, exchanges and bindings that delayed messages pass through
};

/// How one queue differs from the others, be it that of an endpoint or one that is there beside them.
struct queue_options {
    std::string name = {};
    std::optional<queue_type> type = {};    ///< instead of transport_options::queues
    std::optional<int> delivery_limit = {}; ///< instead of transport_options::delivery_limit; -1: none
    bool single_active_consumer = false;    ///< one consumer gets everything, the next takes over when it is gone
    amqp::arguments arguments = {};         ///< beside those that ferry sets
    std::optional<bool> provision = {};     ///< instead of provisioning::queues
};

/// How one exchange differs from the others, be it that of a type of message or one that is there beside them. Those
/// that begin with `amq.` are always expected.
struct exchange_options {
    std::string name = {};
    exchange_type type = exchange_type::fanout;
    amqp::arguments arguments = {};
    std::optional<bool> provision = {}; ///< instead of provisioning::exchanges
};

/// A way from an exchange to a queue or to another exchange. Between the exchange of a type and the queue of an
/// endpoint it takes the place of the one that ferry would make, which lets everything through.
struct binding_options {
    std::string exchange = {};
    address target = {};
    std::string routing_key = {};
    amqp::arguments arguments = {};
    std::optional<bool> provision = {}; ///< instead of provisioning::bindings
};

/// What is at the broker beside what follows from the handlers, and what is different from it.
struct topology_options {
    std::vector<queue_options> queues = {};
    std::vector<exchange_options> exchanges = {};
    std::vector<binding_options> bindings = {};
    /// Where messages are sent with `deliver_at`, and how far ahead. Only needed where `provisioning::delays` is off,
    /// and by `definitions`. Endpoints that redeliver are known.
    std::vector<delay_definition> delays = {};
};

} // namespace ferry::amqp
