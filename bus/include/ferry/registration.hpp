#pragma once

#include <ferry/consumer.hpp>
#include <ferry/handler.hpp>
#include <ferry/log.hpp>
#include <ferry/naming.hpp>
#include <ferry/observer.hpp>
#include <ferry/persistence.hpp>
#include <ferry/routing_key.hpp>
#include <ferry/scope.hpp>
#include <ferry/settings.hpp>
#include <ferry/stack_trace_source.hpp>
#include <ferry/store.hpp>
#include <ferry/time.hpp>
#include <ferry/transport.hpp>

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ferry {

/// A handler as the user registered it. Empty names are filled in when the bus is built.
struct consumer_registration {
    consumer_role role = consumer_role::subscriber;
    const message_type* message = nullptr;
    std::string handler_name = {}; ///< of the handler's C++ type; empty for lambdas and functions
    std::string name = {};
    std::string queue = {};
    std::shared_ptr<const message_handler> handler = {}; ///< null when the user gave an empty function
    consumer_options options = {};
    stage_placements stages = {};
};

/// An endpoint as the user configured it.
struct endpoint_registration {
    std::string name = {};
    std::string error_queue = {};
    bool has_error_queue = true;
    std::string skipped_queue = {};
    endpoint_options options = {};
    consumer_options every_consumer = {};
    stage_placements stages = {};
    std::vector<consumer_registration> consumers = {};
};

/// Everything a user has told the builder, before any of it was looked at.
struct bus_registration {
    std::vector<std::string> problems = {}; ///< what the builder was given and could not keep
    std::string service;
    endpoint_options options = {};
    consumer_options every_consumer = {};
    stage_placements stages = {};
    std::unique_ptr<ferry::transport> transport;
    endpoint_options transport_options;
    consumer_options every_consumer_of_transport;
    stage_placements transport_stages;
    std::vector<consumer_registration> consumers = {}; ///< those with an endpoint of their own
    std::vector<endpoint_registration> endpoints;
    std::map<const message_type*, address> routes;
    address default_route;
    std::unique_ptr<ferry::store> store;
    persistence_options persistence;
    std::map<const message_type*, routing_key_rule> routing_keys;
    std::vector<const message_type*> published; ///< whose exchanges are declared at the start
    std::shared_ptr<const ferry::naming> naming = std::make_shared<ferry::naming>();
    clock now;
    log_function log = log_to_spdlog();
    stack_trace_source* traces = nullptr;
    std::vector<std::shared_ptr<observer>> observers;
    std::size_t max_pending_requests = 100'000;
    duration stop_timeout = std::chrono::seconds{30};
};

namespace detail {

/// The name of a handler's class; empty for what has none a queue could be called after: lambdas, functions, templates.
template <typename Handler> [[nodiscard]] std::string handler_name() {
    const std::string name = without_anonymous_namespaces(type_name<Handler>());
    const bool named_class = std::is_class_v<Handler> && name.find_first_of("<({") == std::string::npos;
    return named_class ? name : std::string{};
}

template <typename Handler> [[nodiscard]] bool is_empty(const Handler& handler) {
    if constexpr (requires { handler == nullptr; }) {
        return handler == nullptr;
    } else {
        return false;
    }
}

template <typename Message, typename Handler>
[[nodiscard]] consumer_registration registered(consumer_role role, Handler handler) {
    static_assert(
        handler_of<Handler, Message>,
        "ferry: this is not a handler of the message. A handler is callable as const with (const Message&) or "
        "(const Message&, ferry::consume_context&), and returns nothing, a reply, or an Asio awaitable of either.");
    consumer_registration consumer{
        .role = role, .message = &message_type::of<Message>(), .handler_name = handler_name<Handler>()};
    if constexpr (handler_of<Handler, Message>) { // or the sentence above would drown in what follows from it
        if (!is_empty(handler)) {
            consumer.handler = std::make_shared<typed_handler<Message, Handler>>(std::move(handler));
        }
    }
    return consumer;
}

} // namespace detail

} // namespace ferry
