#include "assembly.hpp"

#include <ferry/bus_builder.hpp>

#include <utility>

namespace ferry {

namespace {

std::string listed(const std::vector<std::string>& problems) {
    std::string text = "the bus cannot be built:";
    for (const std::string& each : problems) {
        text += "\n  - " + each;
    }
    return text;
}

} // namespace

build_error::build_error(std::vector<std::string> problems) : error{listed(problems)}, problems_{std::move(problems)} {}

consumer_builder& consumer_builder::name(std::string name) {
    name_ = std::move(name);
    return *this;
}

consumer_builder& consumer_builder::queue(std::string name) {
    queue_ = std::move(name);
    return *this;
}

void consumer_builder::apply_to(consumer_registration& consumer) && {
    consumer.name = std::move(name_);
    consumer.queue = std::move(queue_);
    consumer.options = std::move(consumer_options_);
    consumer.stages = std::move(placements_);
}

endpoint_builder& endpoint_builder::error_queue(std::string name) {
    error_queue_ = std::move(name);
    return *this;
}

endpoint_builder& endpoint_builder::no_error_queue() {
    has_error_queue_ = false;
    return *this;
}

endpoint_builder& endpoint_builder::skipped_queue(std::string name) {
    skipped_queue_ = std::move(name);
    return *this;
}

endpoint_registration endpoint_builder::registration() && {
    return {.name = std::move(name_),
            .error_queue = std::move(error_queue_),
            .has_error_queue = has_error_queue_,
            .skipped_queue = std::move(skipped_queue_),
            .options = options_,
            .every_consumer = std::move(consumer_options_),
            .stages = std::move(placements_),
            .consumers = std::move(consumers_)};
}

void transport_builder::apply_to(bus_registration& bus) && {
    bus.transport_options = options_;
    bus.every_consumer_of_transport = std::move(consumer_options_);
    bus.transport_stages = std::move(placements_);
}

bus_builder::bus_builder(std::string service, const pipeline_defaults& defaults) : defaults_{defaults} {
    registration_.service = std::move(service);
}

bus_builder::~bus_builder() = default;

bus_builder& bus_builder::endpoint(std::string name, const std::function<void(endpoint_builder&)>& configure) {
    endpoint_builder builder{std::move(name)};
    if (configure) {
        configure(builder);
    }
    registration_.endpoints.push_back(std::move(builder).registration());
    return *this;
}

bus_builder& bus_builder::transport(std::unique_ptr<ferry::transport> carrier,
                                    const std::function<void(transport_builder&)>& configure) {
    registration_.transport = std::move(carrier);
    if (configure) {
        transport_builder builder;
        configure(builder);
        std::move(builder).apply_to(registration_);
    }
    return *this;
}

bus_builder& bus_builder::persistence(std::unique_ptr<ferry::store> database, persistence_options options) {
    if (database == nullptr) {
        registration_.problems.emplace_back("persistence() was given no store; pass one, or leave the call away");
        return *this;
    }
    registration_.store = std::move(database);
    registration_.persistence = std::move(options);
    return *this;
}

bus_builder& bus_builder::route(const message_type& message, address destination) {
    registration_.routes.insert_or_assign(&message, std::move(destination));
    return *this;
}

bus_builder& bus_builder::routing_key(const message_type& message, routing_key_rule rule) {
    registration_.routing_keys.insert_or_assign(&message, std::move(rule));
    return *this;
}

void bus_builder::publishes(const message_type& message) { registration_.published.push_back(&message); }

bus_builder& bus_builder::default_route(address destination) {
    registration_.default_route = std::move(destination);
    return *this;
}

bus_builder& bus_builder::naming(std::shared_ptr<const ferry::naming> convention) {
    if (convention == nullptr) {
        registration_.problems.emplace_back("naming() was given no convention; pass one, or leave the call away");
        return *this;
    }
    registration_.naming = std::move(convention);
    return *this;
}

bus_builder& bus_builder::clock(time_source& source) {
    registration_.now = ferry::clock{source};
    return *this;
}

bus_builder& bus_builder::log(log_function write) {
    registration_.log = std::move(write);
    return *this;
}

bus_builder& bus_builder::stack_traces(stack_trace_source& source) {
    registration_.traces = &source;
    return *this;
}

bus_builder& bus_builder::observe(std::shared_ptr<observer> watching) {
    if (watching == nullptr) {
        registration_.problems.emplace_back("observe() was given no observer; pass one, or leave the call away");
        return *this;
    }
    registration_.observers.push_back(std::move(watching));
    return *this;
}

bus_builder& bus_builder::max_pending_requests(std::size_t most) {
    registration_.max_pending_requests = most;
    return *this;
}

bus_builder& bus_builder::stop_timeout(duration longest) {
    registration_.stop_timeout = longest;
    return *this;
}

bus bus_builder::build() {
    if (std::exchange(built_, true)) {
        throw error{"a bus_builder builds one bus; make another builder for another bus"};
    }
    registration_.options = options_;
    registration_.every_consumer = std::move(consumer_options_);
    registration_.stages = std::move(placements_);
    registration_.consumers = std::move(consumers_);
    return bus{assemble(std::move(registration_), defaults_)};
}

} // namespace ferry
