#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ferry {

/// What was built, for people and for tools. Every part is a plain struct, so JSON is one of its forms.
struct consumer_description {
    std::string name;
    std::string message;
    std::string receives; ///< "published" or "sent"
    std::string replies_with;
    std::vector<std::string> policy; ///< its exception policy, a sentence a rule, in the order they are looked at
    std::string handler_timeout;     ///< empty when there is none
    std::vector<std::string> stages;
};

struct endpoint_description {
    std::string name;
    std::uint64_t concurrency = 0;
    std::uint64_t prefetch = 0;
    std::string error_queue;
    std::string skipped_queue;
    std::string circuit_breaker;           ///< when it opens; empty when it is switched off
    std::string transport_circuit_breaker; ///< likewise
    std::vector<std::string> stages;
    std::vector<consumer_description> consumers;
};

struct message_description {
    std::string type;
    std::vector<std::string> encloses;
    std::vector<std::string> content_types;
    std::string published_to;
    std::string sent_to;
    bool has_routing_key = false; ///< a rule takes one from the message
};

/// What is at the broker. `expected` is what the transport does not create and only looks for.
struct queue_description {
    std::string name;
    std::string type;
    bool temporary = false;
    bool expected = false;
    std::map<std::string, std::string> arguments;
};

struct exchange_description {
    std::string name;
    std::string type;
    bool expected = false;
    std::map<std::string, std::string> arguments;
};

struct binding_description {
    std::string exchange;
    std::string target;
    std::string routing_key;
    bool expected = false;
    std::map<std::string, std::string> arguments;
};

struct broker_description {
    std::vector<queue_description> queues;
    std::vector<exchange_description> exchanges;
    std::vector<binding_description> bindings;
};

struct bus_description {
    std::string service;
    std::string transport;
    std::vector<endpoint_description> endpoints;
    std::vector<std::string> dispatch_stages;
    std::string reply_queue; ///< of this instance; its name is another each time
    std::vector<std::string> reply_stages;
    std::vector<message_description> messages;
    broker_description broker; ///< what `start` declares there, or looks for

    [[nodiscard]] std::string text() const;
    [[nodiscard]] std::string json() const;
};

} // namespace ferry
