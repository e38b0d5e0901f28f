#include "bus_core.hpp"

#include <ferry/description.hpp>
#include <ferry/json/json_codec.hpp>

#include <format>
#include <sstream>

namespace ferry {

namespace {

std::string joined(const std::vector<std::string>& words, std::string_view between) {
    std::string text;
    for (const std::string& each : words) {
        text += (text.empty() ? "" : std::string{between}) + each;
    }
    return text;
}

std::string described(const breaker_settings& breaker) {
    return breaker.enabled ? std::format("{:.0f} % of at least {} in {}, for {}", breaker.failure_ratio * 100,
                                         breaker.minimum_throughput, to_text(breaker.sampling_window),
                                         to_text(breaker.break_duration))
                           : std::string{};
}

std::vector<std::string> described(const exception_policy& policy) {
    std::vector<std::string> rules;
    for (const exception_rule& each : policy.rules()) {
        rules.push_back(each.text());
    }
    return rules;
}

consumer_description described(const consumer& each) {
    const message_type* reply = each.handler().reply();
    const auto& timeout = each.settings().handler_timeout;
    return {.name = each.name(),
            .message = each.message().urn,
            .receives = each.role() == consumer_role::server ? "sent" : "published",
            .replies_with = reply == nullptr ? std::string{} : reply->urn,
            .policy = described(each.settings().policy),
            .handler_timeout = timeout ? to_text(*timeout) : std::string{},
            .stages = each.stages().keys()};
}

endpoint_description described(const receiver& each) {
    const endpoint_settings& settings = each.settings();
    endpoint_description endpoint{.name = settings.name,
                                  .concurrency = settings.concurrency,
                                  .prefetch = settings.prefetch,
                                  .error_queue = settings.error_queue,
                                  .skipped_queue = settings.skipped_queue,
                                  .circuit_breaker = described(settings.circuit_breaker),
                                  .transport_circuit_breaker = described(settings.transport_circuit_breaker),
                                  .stages = each.stages().keys(),
                                  .consumers = {}};
    for (const auto& consumer : each.consumers()) {
        endpoint.consumers.push_back(described(*consumer));
    }
    return endpoint;
}

message_description described(const message_route& route) {
    message_description message{.type = route.type->urn,
                                .encloses = {},
                                .content_types = {},
                                .published_to = route.published_to.to_string(),
                                .sent_to = route.sent_to.to_string(),
                                .has_routing_key = route.routing_key != nullptr};
    for (const message_type* base : route.type->encloses) {
        message.encloses.push_back(base->urn);
    }
    for (const message_codec* codec : route.type->codecs) {
        message.content_types.emplace_back(codec->content_type());
    }
    return message;
}

void write(std::ostream& out, const endpoint_description& endpoint) {
    out << "endpoint " << endpoint.name << " (concurrency " << endpoint.concurrency << ", prefetch "
        << endpoint.prefetch << ")\n  stages   " << joined(endpoint.stages, " > ") << "\n  errors   "
        << (endpoint.error_queue.empty() ? "left to the broker" : endpoint.error_queue) << "\n  skipped  "
        << endpoint.skipped_queue << '\n';
    if (!endpoint.circuit_breaker.empty()) {
        out << "  breaks   at " << endpoint.circuit_breaker << '\n';
    }
    if (!endpoint.transport_circuit_breaker.empty()) {
        out << "  breaks   for its transport at " << endpoint.transport_circuit_breaker << '\n';
    }
    for (const consumer_description& each : endpoint.consumers) {
        out << "  consumer " << each.name << ": " << each.message << ", " << each.receives;
        if (!each.replies_with.empty()) {
            out << ", replies with " << each.replies_with;
        }
        out << "\n    stages " << joined(each.stages, " > ") << '\n';
        for (const std::string& rule : each.policy) {
            out << "    on     " << rule << '\n';
        }
        if (!each.handler_timeout.empty()) {
            out << "    within " << each.handler_timeout << '\n';
        }
    }
}

void write(std::ostream& out, const message_description& message) {
    out << "message " << message.type << " (" << joined(message.content_types, ", ") << ")\n  published to "
        << message.published_to << "\n  sent to      " << message.sent_to << '\n';
    if (!message.encloses.empty()) {
        out << "  encloses     " << joined(message.encloses, ", ") << '\n';
    }
    if (message.has_routing_key) {
        out << "  routed by    a key from the message\n";
    }
}

/// In brackets, as far as there is something to say: `quorum, expected, x-max-length 1000`.
std::string properties(const std::string& type, bool temporary, bool expected,
                       const std::map<std::string, std::string>& arguments) {
    std::vector<std::string> words;
    if (!type.empty()) {
        words.push_back(type);
    }
    if (temporary) {
        words.emplace_back("temporary");
    }
    if (expected) {
        words.emplace_back("expected");
    }
    for (const auto& [name, value] : arguments) {
        words.push_back(value.empty() ? name : std::format("{} {}", name, value));
    }
    return words.empty() ? "" : " (" + joined(words, ", ") + ")";
}

void write(std::ostream& out, const broker_description& broker) {
    out << "at the broker\n";
    for (const queue_description& each : broker.queues) {
        out << "  queue    " << each.name << properties(each.type, each.temporary, each.expected, each.arguments)
            << '\n';
    }
    for (const exchange_description& each : broker.exchanges) {
        out << "  exchange " << each.name << properties(each.type, false, each.expected, each.arguments) << '\n';
    }
    for (const binding_description& each : broker.bindings) {
        out << "  binding  " << each.exchange << " > " << each.target
            << (each.routing_key.empty() ? "" : " by " + each.routing_key)
            << properties("", false, each.expected, each.arguments) << '\n';
    }
}

} // namespace

std::string bus_description::text() const {
    std::ostringstream out;
    out << "service " << service << " on " << transport << "\n  dispatch " << joined(dispatch_stages, " > ")
        << "\n  replies  " << joined(reply_stages, " > ") << ", from " << reply_queue << '\n';
    for (const endpoint_description& each : endpoints) {
        write(out, each);
    }
    for (const message_description& each : messages) {
        write(out, each);
    }
    write(out, broker);
    return out.str();
}

std::string bus_description::json() const {
    buffer out;
    json_codec<bus_description>{}.encode(this, out);
    return std::string{out.view()};
}

// What a transport without settings of its own makes of a topology: the same.
broker_description transport::describe(const ferry::topology& wanted) const {
    broker_description found;
    for (const queue_definition& each : wanted.queues) {
        found.queues.push_back(
            {.name = each.name, .type = "", .temporary = each.temporary, .expected = false, .arguments = {}});
    }
    for (const exchange_definition& each : wanted.exchanges) {
        found.exchanges.push_back({.name = each.name, .type = "fanout", .expected = false, .arguments = {}});
    }
    for (const binding_definition& each : wanted.bindings) {
        found.bindings.push_back({.exchange = each.exchange,
                                  .target = each.target.to_string(),
                                  .routing_key = "",
                                  .expected = false,
                                  .arguments = {}});
    }
    return found;
}

bus_description bus::describe() const {
    bus_description built{.service = core_->service(),
                          .transport = std::string{core_->carrier().name()},
                          .endpoints = {},
                          .dispatch_stages = core_->dispatcher().stages().keys(),
                          .reply_queue = core_->reply_queue(),
                          .reply_stages = core_->reply_receiver().stages().keys(),
                          .messages = {},
                          .broker = core_->carrier().describe(core_->wanted())};
    for (const auto& each : core_->receivers()) {
        built.endpoints.push_back(described(*each));
        for (const auto& consumer : each->consumers()) {
            (void)core_->routes().find(consumer->message());
        }
    }
    for (const message_route* each : core_->routes().all()) {
        built.messages.push_back(described(*each));
    }
    return built;
}

} // namespace ferry
