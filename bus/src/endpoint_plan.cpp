#include "endpoint_plan.hpp"

#include <ferry/message.hpp>

#include <algorithm>
#include <map>
#include <ranges>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

namespace ferry {

namespace {

std::size_t default_concurrency() { return 2 * std::max(1U, std::thread::hardware_concurrency()); }

/// As much as all slots work on at once, and as much again.
std::size_t default_prefetch(std::size_t slots, std::size_t group) {
    constexpr std::size_t fewest = 32;
    constexpr std::size_t most = 65'535; // that AMQP can ask for
    return std::clamp(2 * slots * std::max<std::size_t>(group, 1), fewest, most);
}

endpoint_settings resolved(const endpoint_registration& endpoint, const bus_registration& bus) {
    const endpoint_options options = endpoint.options.over(bus.transport_options).over(bus.options);
    const std::size_t slots = options.concurrency.value_or(default_concurrency());
    const std::size_t group = options.group_commit.value_or(1);
    const auto chosen = [](const std::string& stated, const std::string& convention) {
        return stated.empty() ? convention : stated;
    };
    return {.name = endpoint.name,
            .address = address::queue(endpoint.name),
            .error_queue = endpoint.has_error_queue
                               ? chosen(endpoint.error_queue, bus.naming->error_queue(endpoint.name))
                               : std::string{},
            .skipped_queue = chosen(endpoint.skipped_queue, bus.naming->skipped_queue(endpoint.name)),
            .concurrency = slots,
            .prefetch = options.prefetch.value_or(default_prefetch(slots, group)),
            .recovery = options.recovery.value_or(backoff_options{}),
            .group_commit = group,
            .circuit_breaker = breaker_settings{}.with(options.circuit_breaker),
            .transport_circuit_breaker =
                endpoint_settings{}.transport_circuit_breaker.with(options.transport_circuit_breaker)};
}

/// Works the endpoints out one after the other, and remembers what it has seen to notice what cannot be together.
class planner {
public:
    planner(bus_registration& bus, std::vector<std::string>& problems) : bus_{bus}, problems_{problems} {}

    std::vector<endpoint_plan> plan() {
        std::ranges::for_each(bus_.published, [this](const message_type* each) { check_urn(*each); });
        std::ranges::for_each(bus_.routes, [this](const auto& each) { check_urn(*each.first); });
        std::ranges::for_each(bus_.routing_keys, [this](const auto& each) { check_urn(*each.first); });
        for (endpoint_registration& each : bus_.endpoints) {
            each.options.validate("endpoint '" + each.name + "'", problems_);
            each.every_consumer.validate("endpoint '" + each.name + "'", problems_);
            std::ranges::for_each(each.consumers,
                                  [this](consumer_registration& consumer) { (void)complete(consumer); });
            add(std::move(each));
        }
        for (consumer_registration& each : bus_.consumers) {
            if (complete(each)) {
                add_to_own_endpoint(std::move(each));
            }
        }
        for (endpoint_plan& each : plans_) {
            check_used(each);
            route_to_servers(each);
            look_at_policies(each);
        }
        check_ways_back();
        return std::move(plans_);
    }

private:
    void look_at_policies(endpoint_plan& plan) {
        for (const consumer_registration& each : plan.consumers) {
            const exception_policy policy = settings_of(each, plan, bus_).policy;
            plan.settings.redelivers |= policy.redelivers();
            plan.longest_redelivery = std::max(plan.longest_redelivery, policy.longest_redelivery());
        }
    }

    void check_used(const endpoint_plan& plan) {
        if (plan.consumers.empty()) {
            problems_.push_back("endpoint '" + plan.settings.name +
                                "' has no handlers; add one to it, or see whether its "
                                "name is the one of the handler it should set up");
        }
    }

    // What nobody can handle must come to rest somewhere.
    void check_ways_back() {
        std::set<std::string> looked_at;
        for (const endpoint_plan& each : plans_) {
            std::vector<std::string> way{each.settings.name};
            if (comes_back(each, way) &&
                std::ranges::none_of(way, [&](const auto& name) { return looked_at.contains(name); })) {
                problems_.push_back(way_back(way));
            }
            looked_at.insert(each.settings.name);
        }
    }

    // Whether what leaves `from` unhandled can get to where `way` began; then `way` tells how.
    bool comes_back(const endpoint_plan& from, std::vector<std::string>& way) {
        for (const std::string& target : {from.settings.error_queue, from.settings.skipped_queue}) {
            if (target.empty()) {
                continue;
            }
            if (target == way.front()) {
                return true;
            }
            const endpoint_plan* const next = std::ranges::contains(way, target) ? nullptr : find(target);
            if (next == nullptr) {
                continue;
            }
            way.push_back(target);
            if (comes_back(*next, way)) {
                return true;
            }
            way.pop_back();
        }
        return false;
    }

    static std::string way_back(const std::vector<std::string>& way) {
        if (way.size() == 1) {
            return "endpoint '" + way[0] +
                   "' is its own error or skipped queue, so a message nobody can handle would come back for ever; name "
                   "another queue";
        }
        std::string text = "what fails or is skipped at endpoint '" + way[0] + "'";
        for (const std::string& each : way | std::views::drop(1)) {
            text.append(" goes to endpoint '").append(each).append("', and what fails or is skipped there");
        }
        return text + " comes back, for ever; give one of them another error or skipped queue";
    }

    // What this bus serves from a queue of another name it also finds there itself.
    void route_to_servers(const endpoint_plan& plan) {
        for (const consumer_registration& each : plan.consumers) {
            if (each.role == consumer_role::server) {
                bus_.routes.try_emplace(each.message, plan.settings.address);
            }
        }
    }

    void add(endpoint_registration endpoint) {
        if (endpoint.name.empty()) {
            problems_.push_back("an endpoint has no name; pass one to endpoint()");
        } else if (find(endpoint.name) != nullptr) {
            problems_.push_back("there are two endpoints called '" + endpoint.name +
                                "'; put their handlers into one, or rename one of them");
        }
        endpoint_plan plan{.settings = resolved(endpoint, bus_),
                           .consumers = {},
                           .every_consumer = std::move(endpoint.every_consumer),
                           .stages = std::move(endpoint.stages),
                           .longest_redelivery = {}};
        for (consumer_registration& each : endpoint.consumers) {
            check_name(plan, each);
            check_queue(plan, each);
            plan.consumers.push_back(std::move(each));
        }
        plans_.push_back(std::move(plan));
    }

    // A handler that was registered at the bus has an endpoint of its own, unless an endpoint of that name was set up.
    void add_to_own_endpoint(consumer_registration consumer) {
        const std::string queue = queue_of(consumer);
        if (endpoint_plan* set_up = find(queue); set_up != nullptr && set_up->consumers.empty()) {
            set_up->consumers.push_back(std::move(consumer));
        } else if (set_up != nullptr) {
            problems_.push_back("two handlers would share the endpoint '" + queue +
                                "'; give one of them a name with "
                                "consumer.name(...), or name both and put them into builder.endpoint(\"" +
                                queue + "\", ...)");
        } else {
            endpoint_registration own{.name = queue};
            own.consumers.push_back(std::move(consumer));
            add(std::move(own));
        }
    }

    /// False for one that cannot stay, whatever its endpoint: what else is wrong with it would only confuse.
    [[nodiscard]] bool complete(consumer_registration& consumer) {
        if (consumer.handler == nullptr) {
            problems_.push_back("the handler of " + consumer.message->urn +
                                " is an empty function; pass one that can be called");
        }
        if (consumer.name.empty()) {
            consumer.name = bus_.naming->handler(consumer.handler_name, *consumer.message);
        }
        check_urn(*consumer.message);
        consumer.options.validate("consumer '" + consumer.name + "'", problems_);
        if (consumer.role == consumer_role::server && !servers_.insert(consumer.message).second) {
            problems_.push_back(consumer.message->urn +
                                " has two servers, but only one can answer; remove one, or publish "
                                "the message and use handle() for both");
            return false;
        }
        return true;
    }

    // On the wire a type is its URN, so each would get the messages of the other.
    void check_urn(const message_type& type) {
        const message_type& first = *types_.try_emplace(type.urn, &type).first->second;
        if (&first != &type && told_of_.insert(&type).second) {
            problems_.push_back("two C++ types, " + first.cpp_name + " and " + type.cpp_name + ", are both " +
                                type.urn + "; rename one of them, or give it a message_name of its own");
        }
    }

    void check_name(const endpoint_plan& plan, const consumer_registration& consumer) {
        if (std::ranges::contains(plan.consumers, consumer.name, &consumer_registration::name)) {
            problems_.push_back("endpoint '" + plan.settings.name + "' has two handlers called '" + consumer.name +
                                "'; give one of them another name with consumer.name(...)");
        }
    }

    void check_queue(const endpoint_plan& plan, const consumer_registration& consumer) {
        if (!consumer.queue.empty() && consumer.queue != plan.settings.name) {
            problems_.push_back("consumer '" + consumer.name + "' asks for the queue '" + consumer.queue +
                                "', but it is on endpoint '" + plan.settings.name +
                                "', whose queue has that name; take it out of "
                                "the endpoint, or leave the queue away");
        }
    }

    std::string queue_of(const consumer_registration& consumer) const {
        if (!consumer.queue.empty()) {
            return consumer.queue;
        }
        if (consumer.role == consumer_role::subscriber) {
            return bus_.naming->subscriber_queue(bus_.service, consumer.name);
        }
        const address& own = consumer.message->destination;
        return own.kind == address::kind_type::queue ? own.name : bus_.naming->message_queue(*consumer.message);
    }

    endpoint_plan* find(const std::string& name) {
        const auto found =
            std::ranges::find_if(plans_, [&](const endpoint_plan& each) { return each.settings.name == name; });
        return found == plans_.end() ? nullptr : &*found;
    }

    bus_registration& bus_;
    std::vector<std::string>& problems_;
    std::vector<endpoint_plan> plans_;
    std::set<const message_type*> servers_;
    std::map<std::string_view, const message_type*> types_; // by URN
    std::set<const message_type*> told_of_;
};

} // namespace

std::vector<endpoint_plan> plan_endpoints(bus_registration& registration, std::vector<std::string>& problems) {
    return planner{registration, problems}.plan();
}

consumer_settings settings_of(const consumer_registration& consumer, const endpoint_plan& endpoint,
                              const bus_registration& bus) {
    consumer_options options =
        consumer.options.over(endpoint.every_consumer).over(bus.every_consumer_of_transport).over(bus.every_consumer);
    consumer_settings settings{.name = consumer.name,
                               .identity = endpoint.settings.name + "/" + consumer.name,
                               .policy = std::move(options.policy).value_or(exception_policy{}),
                               .handler_timeout = options.handler_timeout,
                               .inbox = options.inbox.value_or(true)};
    settings.policy.seal();
    return settings;
}

topology topology_of(const std::vector<endpoint_plan>& endpoints, const naming& convention) {
    topology wanted;
    const auto add_unless_endpoint = [&](const std::string& queue) {
        // An endpoint that handles what failed at another says itself what its queue is like.
        if (!queue.empty() && !std::ranges::contains(endpoints, queue, [](const endpoint_plan& each) -> const auto& {
                return each.settings.name;
            })) {
            wanted.queues.push_back({.name = queue});
        }
    };
    for (const endpoint_plan& each : endpoints) {
        const endpoint_settings& settings = each.settings;
        add_unless_endpoint(settings.error_queue);
        add_unless_endpoint(settings.skipped_queue);
        wanted.queues.push_back({.name = settings.name, .dead_letters = settings.error_queue});
        if (settings.redelivers) {
            wanted.delays.push_back({settings.address, each.longest_redelivery});
        }
        for (const consumer_registration& consumer : each.consumers) {
            if (consumer.role == consumer_role::subscriber) {
                const std::string exchange = convention.exchange(*consumer.message);
                wanted.exchanges.push_back({exchange});
                wanted.bindings.push_back({exchange, settings.address});
            }
        }
    }
    return wanted;
}

} // namespace ferry
