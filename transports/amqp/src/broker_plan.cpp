#include "broker_plan.hpp"

#include <ferry/transport.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <format>
#include <iterator>
#include <map>
#include <utility>
#include <variant>

namespace ferry::amqp {

namespace {

// How long the broker keeps the reply queue of a service that is gone, or cannot be reached for a while.
constexpr std::int64_t temporary_queue_expires = std::int64_t{10} * 60 * 1000;
constexpr std::size_t longest_routing_key = 255; // AMQP's own limit, in bytes

template <typename Options, typename Name> const Options* find(const std::vector<Options>& all, const Name& name) {
    const auto found = std::ranges::find(all, name, &Options::name);
    return found == all.end() ? nullptr : &*found;
}

template <typename Planned> void add(std::vector<Planned>& all, Planned one) {
    if (!std::ranges::contains(all, one)) {
        all.push_back(std::move(one));
    }
}

void set_dead_letters(const std::string& queue, bool quorum, arguments& to) {
    to.set("x-dead-letter-exchange", "");
    to.set("x-dead-letter-routing-key", queue);
    if (quorum) { // or a dead letter is lost when the broker stops at the wrong moment
        to.set("x-dead-letter-strategy", "at-least-once");
        to.set("x-overflow", "reject-publish");
    }
}

arguments arguments_of(const queue_definition& queue, const queue_options& own, const transport_options& options) {
    arguments all;
    const bool quorum = own.type.value_or(options.queues) == queue_type::quorum;
    if (queue.temporary) {
        all.set("x-queue-type", quorum ? "quorum" : "classic");
        all.set("x-expires", temporary_queue_expires);
        if (quorum) {
            all.set("x-delivery-limit", -1);
        }
        return all;
    }
    all.set("x-queue-type", quorum ? "quorum" : "classic");
    if (quorum) { // where there are no dead letters, the broker would throw away what reaches a limit
        const int usual = queue.dead_letters.empty() ? -1 : options.delivery_limit.value_or(-1);
        all.set("x-delivery-limit", own.delivery_limit.value_or(usual));
    }
    if (!queue.dead_letters.empty()) {
        set_dead_letters(queue.dead_letters, quorum, all);
    }
    if (own.single_active_consumer) {
        all.set("x-single-active-consumer", true);
    }
    for (const header& each : own.arguments) {
        all.set(each.name, each.value);
    }
    return all;
}

planned_queue planned(const queue_definition& queue, const transport_options& options) {
    const queue_options* const named = find(options.topology.queues, queue.name);
    const queue_options& own = named == nullptr ? queue_options{} : *named;
    return {.name = queue.name,
            .temporary = queue.temporary,
            .create = queue.temporary || own.provision.value_or(options.provision.queues),
            .arguments = arguments_of(queue, own, options)};
}

planned_exchange planned(const exchange_definition& exchange, const transport_options& options) {
    const exchange_options* const named = find(options.topology.exchanges, exchange.name);
    const exchange_options& own = named == nullptr ? exchange_options{} : *named;
    const bool may_create = own.provision.value_or(options.provision.exchanges);
    return {.name = exchange.name,
            .type = own.type,
            .create = may_create && !exchange.name.starts_with("amq."),
            .arguments = own.arguments};
}

std::string key_for_everything(std::string_view exchange, const transport_options& options) {
    const exchange_options* const own = find(options.topology.exchanges, exchange);
    return own != nullptr && own->type == exchange_type::topic ? "#" : "";
}

void plan_binding(const binding_definition& binding, const transport_options& options, broker_plan& plan) {
    bool stated = false;
    for (const binding_options& each : options.topology.bindings) {
        if (each.exchange == binding.exchange && each.target == binding.target) {
            stated = true;
            add(plan.bindings, {.exchange = each.exchange,
                                .target = each.target,
                                .routing_key = each.routing_key,
                                .create = each.provision.value_or(options.provision.bindings),
                                .arguments = each.arguments});
        }
    }
    if (!stated) {
        add(plan.bindings, {.exchange = binding.exchange,
                            .target = binding.target,
                            .routing_key = key_for_everything(binding.exchange, options),
                            .create = options.provision.bindings});
    }
}

arguments arguments_of_level(int level, const transport_options& options) {
    const delay_names names = names_of_delays(options);
    const bool quorum = options.queues == queue_type::quorum;
    arguments all;
    all.set("x-queue-type", quorum ? "quorum" : "classic");
    all.set("x-message-ttl", static_cast<std::int64_t>(std::uint64_t{1} << static_cast<unsigned>(level)));
    all.set("x-dead-letter-exchange", level == 0 ? names.delivery() : names.level(level - 1));
    if (quorum) { // or a message is lost when the broker stops between two levels
        all.set("x-dead-letter-strategy", "at-least-once");
        all.set("x-overflow", "reject-publish");
    }
    return all;
}

// A quorum queue keeps what it could bring to no queue at all, tries it again every few minutes, and hands out nothing
// more when it has a few of those. An event that nobody handles is no reason for that.
void plan_place_for_unheard_events(const transport_options& options, broker_plan& plan) {
    const delay_names names = names_of_delays(options);
    const bool create = options.provision.delays;
    plan.queues.push_back(
        {.name = names.unheard(), .create = create, .arguments = {{"x-queue-type", "quorum"}, {"x-max-length", 0}}});
    plan.bindings.push_back({.exchange = names.delivery(),
                             .target = address::queue(names.unheard()),
                             .routing_key = every_exchange_pattern(),
                             .create = create});
}

void plan_end_of_delays(const transport_options& options, broker_plan& plan) {
    const delay_names names = names_of_delays(options);
    const bool create = options.provision.delays;
    plan.queues.push_back({.name = names.undelivered(),
                           .create = create,
                           .arguments = arguments_of({.name = names.undelivered()}, {}, options)});
    plan.exchanges.push_back({.name = names.undelivered(), .type = exchange_type::fanout, .create = create});
    plan.exchanges.push_back({.name = names.delivery(),
                              .type = exchange_type::topic,
                              .create = create,
                              .arguments = {{"alternate-exchange", names.undelivered()}}});
    plan.bindings.push_back(
        {.exchange = names.undelivered(), .target = address::queue(names.undelivered()), .create = create});
    if (options.queues == queue_type::quorum) {
        plan_place_for_unheard_events(options, plan);
    }
}

void plan_level(int level, const transport_options& options, broker_plan& plan) {
    const delay_names names = names_of_delays(options);
    const std::string name = names.level(level);
    const std::string below = level == 0 ? names.delivery() : names.level(level - 1);
    const bool create = options.provision.delays;
    plan.queues.push_back({.name = name, .create = create, .arguments = arguments_of_level(level, options)});
    plan.exchanges.push_back({.name = name, .type = exchange_type::topic, .create = create});
    plan.bindings.push_back(
        {.exchange = name, .target = address::queue(name), .routing_key = one_pattern(level), .create = create});
    plan.bindings.push_back(
        {.exchange = name, .target = address::exchange(below), .routing_key = zero_pattern(level), .create = create});
}

std::string text_of(const header_value& value) {
    return std::visit(
        []<typename Kind>(const Kind& held) -> std::string {
            if constexpr (std::is_same_v<Kind, std::string> || std::is_same_v<Kind, std::int64_t> ||
                          std::is_same_v<Kind, bool>) {
                return std::format("{}", held);
            } else {
                return {};
            }
        },
        value.get());
}

std::map<std::string, std::string> texts_of(const arguments& all) {
    std::map<std::string, std::string> texts;
    for (const header& each : all) {
        texts.emplace(each.name, text_of(each.value));
    }
    return texts;
}

} // namespace

topology with_own(topology wanted, const topology_options& own) {
    for (const queue_options& each : own.queues) {
        if (!std::ranges::contains(wanted.queues, each.name, &queue_definition::name)) {
            wanted.queues.push_back({.name = each.name});
        }
    }
    for (const exchange_options& each : own.exchanges) {
        if (!std::ranges::contains(wanted.exchanges, each.name, &exchange_definition::name)) {
            wanted.exchanges.push_back({.name = each.name});
        }
    }
    for (const binding_options& each : own.bindings) {
        const binding_definition way{each.exchange, each.target};
        if (!std::ranges::contains(wanted.bindings, way)) {
            wanted.bindings.push_back(way);
        }
    }
    wanted.delays.insert(wanted.delays.end(), own.delays.begin(), own.delays.end());
    return wanted;
}

broker_plan plan_for(const topology& wanted, const transport_options& options) {
    broker_plan plan;
    for (const queue_definition& each : wanted.queues) {
        add(plan.queues, planned(each, options));
    }
    for (const exchange_definition& each : wanted.exchanges) {
        add(plan.exchanges, planned(each, options));
    }
    for (const binding_definition& each : wanted.bindings) {
        plan_binding(each, options, plan);
    }
    return plan;
}

broker_plan plan_for_delays(int from, int to, const transport_options& options) {
    broker_plan plan;
    if (from == 0) {
        plan_end_of_delays(options, plan);
    }
    for (int level = from; level < to; ++level) {
        plan_level(level, options, plan);
    }
    return plan;
}

broker_plan plan_with_delays(const topology& wanted, const transport_options& options) {
    broker_plan plan = plan_for(wanted, options);
    if (wanted.delays.empty()) {
        return plan;
    }
    const duration longest = std::ranges::max(wanted.delays, {}, &delay_definition::longest).longest;
    broker_plan delays = plan_for_delays(0, first_level(rounded(longest)) + 1, options);
    for (const delay_definition& each : wanted.delays) {
        delays.bindings.push_back(plan_for_delivery(each.target, options));
    }
    std::ranges::move(delays.queues, std::back_inserter(plan.queues));
    std::ranges::move(delays.exchanges, std::back_inserter(plan.exchanges));
    std::ranges::move(delays.bindings, std::back_inserter(plan.bindings));
    return plan;
}

planned_binding plan_for_delivery(const address& destination, const transport_options& options) {
    return {.exchange = names_of_delays(options).delivery(),
            .target = destination,
            .routing_key = delivery_pattern(destination),
            .create = options.provision.delays};
}

delay_names names_of_delays(const transport_options& options) {
    return {options.queues == queue_type::quorum ? "ferry.delay" : "ferry.delay.classic"};
}

const std::string& routing_key_of(const envelope& message) {
    if (message.destination.kind != address::kind_type::exchange) {
        return message.destination.name;
    }
    const std::string& key = message.routing_key.empty() ? message.message_type : message.routing_key;
    if (key.size() > longest_routing_key) {
        throw transport_error{"the routing key of a " + message.message_type + " to " +
                                  message.destination.to_string() + " has " + std::to_string(key.size()) +
                                  " bytes; make it 255 or fewer",
                              false};
    }
    return key;
}

void require_delayable(const envelope& message, const transport_options& options) {
    if (message.destination.kind != address::kind_type::exchange) {
        return;
    }
    const exchange_options* const own = find(options.topology.exchanges, message.destination.name);
    const bool looks_at_key =
        own != nullptr && (own->type == exchange_type::topic || own->type == exchange_type::direct);
    if (looks_at_key || !message.routing_key.empty()) {
        throw transport_error{"a " + message.message_type + " cannot be delayed at the broker on its way to " +
                                  message.destination.to_string() +
                                  ", where it is routed by its key; use schedule_publish, or send it to a queue",
                              false};
    }
}

bool has_dead_letters(const queue_definition& queue, const transport_options& options) {
    const queue_options* const own = find(options.topology.queues, queue.name);
    return !queue.dead_letters.empty() || (own != nullptr && own->arguments.contains("x-dead-letter-exchange"));
}

bool has_one_consumer(const std::string& queue, const transport_options& options) {
    const queue_options* const own = find(options.topology.queues, queue);
    return own != nullptr && (own->single_active_consumer || own->arguments.contains("x-single-active-consumer"));
}

std::optional<int> limit_to_count(const queue_definition& queue, const transport_options& options) {
    const queue_options* const found = find(options.topology.queues, queue.name);
    const queue_options own = found != nullptr ? *found : queue_options{};
    const int limit = own.delivery_limit.value_or(options.delivery_limit.value_or(-1));
    const bool counts = own.type.value_or(options.queues) == queue_type::classic && has_dead_letters(queue, options);
    return counts && limit >= 0 ? std::optional{limit} : std::nullopt;
}

std::string_view to_string(exchange_type type) noexcept {
    static constexpr std::array<std::string_view, 4> names{"fanout", "direct", "topic", "headers"};
    return names[static_cast<std::size_t>(type)];
}

broker_description described(const broker_plan& plan) {
    broker_description found;
    for (const planned_queue& each : plan.queues) {
        std::map<std::string, std::string> told = texts_of(each.arguments);
        const auto type = told.extract("x-queue-type");
        found.queues.push_back({.name = each.name,
                                .type = type.empty() ? "classic" : type.mapped(),
                                .temporary = each.temporary,
                                .expected = !each.create,
                                .arguments = std::move(told)});
    }
    for (const planned_exchange& each : plan.exchanges) {
        found.exchanges.push_back({.name = each.name,
                                   .type = std::string{to_string(each.type)},
                                   .expected = !each.create,
                                   .arguments = texts_of(each.arguments)});
    }
    for (const planned_binding& each : plan.bindings) {
        found.bindings.push_back({.exchange = each.exchange,
                                  .target = each.target.to_string(),
                                  .routing_key = each.routing_key,
                                  .expected = !each.create,
                                  .arguments = texts_of(each.arguments)});
    }
    return found;
}

} // namespace ferry::amqp
