#include "broker_plan.hpp"

#include <ferry/amqp/definitions.hpp>
#include <ferry/amqp/transport.hpp>
#include <ferry/bus.hpp>
#include <ferry/json/json_writer.hpp>

#include <algorithm>

namespace ferry::amqp {

namespace {

/// Writes the objects of a definitions file, one a line, so that two of them can be compared.
class definitions_writer {
public:
    definitions_writer(json_writer& out, const std::string& vhost) : out_{out}, vhost_{vhost} {}

    template <typename Planned> void list(std::string_view name, const std::vector<Planned>& all) {
        text(name);
        out_.literal(": [");
        std::string_view before = "\n    ";
        for (const Planned& each : all) {
            out_.literal(before);
            before = ",\n    ";
            object(each);
        }
        out_.literal("\n  ]");
    }

private:
    void object(const planned_queue& queue) {
        out_.put('{');
        member("name", queue.name);
        member("vhost", vhost_);
        out_.literal(R"("durable": true, "auto_delete": false, )");
        last(queue.arguments);
    }
    void object(const planned_exchange& exchange) {
        out_.put('{');
        member("name", exchange.name);
        member("vhost", vhost_);
        member("type", to_string(exchange.type));
        out_.literal(R"("durable": true, "auto_delete": false, "internal": false, )");
        last(exchange.arguments);
    }
    void object(const planned_binding& binding) {
        out_.put('{');
        member("source", binding.exchange);
        member("vhost", vhost_);
        member("destination", binding.target.name);
        member("destination_type", binding.target.kind == address::kind_type::queue ? "queue" : "exchange");
        member("routing_key", binding.routing_key);
        last(binding.arguments);
    }

    void last(const arguments& all) {
        text("arguments");
        out_.literal(": {");
        std::string_view before;
        for (const header& each : all) {
            out_.literal(before);
            before = ", ";
            text(each.name);
            out_.literal(": ");
            value(each.value);
        }
        out_.literal("}}");
    }
    void member(std::string_view name, std::string_view value) {
        text(name);
        out_.literal(": ");
        text(value);
        out_.literal(", ");
    }
    void value(const header_value& value) {
        if (const auto* number = value.as<std::int64_t>()) {
            out_.write_signed(*number);
        } else if (const auto* truth = value.as<bool>()) {
            out_.write_bool(*truth);
        } else if (const auto* words = value.as<std::string>()) {
            text(*words);
        } else {
            out_.write_null();
        }
    }
    void text(std::string_view value) { out_.write_string(value); }

    json_writer& out_;
    const std::string& vhost_;
};

/// Everything that is there as long as the service is, delays included.
broker_plan lasting_plan(const topology& wanted, const transport_options& options) {
    broker_plan plan = plan_with_delays(wanted, options);
    std::erase_if(plan.queues, &planned_queue::temporary);
    std::erase_if(plan.exchanges, [](const planned_exchange& each) { return each.name.starts_with("amq."); });
    return plan;
}

} // namespace

std::string transport::definitions(const topology& wanted) const {
    const transport_options& options = this->options();
    const broker_plan plan = lasting_plan(with_own(wanted, options.topology), options);
    buffer text;
    json_writer out{text};
    definitions_writer file{out, vhost()};
    out.literal("{\n  ");
    file.list("queues", plan.queues);
    out.literal(",\n  ");
    file.list("exchanges", plan.exchanges);
    out.literal(",\n  ");
    file.list("bindings", plan.bindings);
    out.literal("\n}\n");
    out.finish();
    return std::string{text.view()};
}

std::string definitions(const bus& of) {
    const auto* const carrier = dynamic_cast<const transport*>(&of.transport());
    if (carrier == nullptr) {
        throw error{"only a bus on RabbitMQ has a definitions file; this one is on " +
                    std::string{of.transport().name()}};
    }
    return carrier->definitions(of.topology());
}

} // namespace ferry::amqp
