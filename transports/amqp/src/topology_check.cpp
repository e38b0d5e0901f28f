#include "topology_check.hpp"

#include "broker_plan.hpp"

#include <ferry/error.hpp>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace ferry::amqp {

namespace {

constexpr std::size_t longest_name = 255; // AMQP's own limit, in bytes; of routing keys, too

/// An argument that has an option of its own.
struct named_option {
    std::string_view argument;
    std::string_view option;
};
constexpr std::array options_of_queues{named_option{"x-queue-type", "type"},
                                       named_option{"x-delivery-limit", "delivery_limit"},
                                       named_option{"x-single-active-consumer", "single_active_consumer"}};

bool is_plain(const header_value& value) {
    return value.as<std::string>() != nullptr || value.as<std::int64_t>() != nullptr || value.as<bool>() != nullptr;
}

/// Looks at one topology and collects what is wrong with it.
class inspection {
public:
    inspection(const topology& wanted, const transport_options& options, std::vector<std::string>& problems)
        : wanted_{wanted}, options_{options}, own_{options.topology}, problems_{problems} {}

    void run() {
        look_at_names();
        for (const queue_options& each : own_.queues) {
            look_at(each);
        }
        for (const exchange_options& each : own_.exchanges) {
            look_at_values("exchange '" + each.name + "'", each.arguments);
        }
        for (const binding_options& each : own_.bindings) {
            look_at(each);
        }
        look_at_own_ways();
        look_at_delays();
    }

    // A way that ferry makes by itself lets everything through, and a direct exchange has no key for that.
    void look_at_own_ways() {
        for (const binding_definition& each : wanted_.bindings) {
            if (type_of(each.exchange) == exchange_type::direct && !is_stated(each)) {
                add("exchange '" + each.exchange + "' is a direct one, and nothing says which routing keys " +
                    each.target.to_string() + " is for; add a binding with a key to the topology");
            }
        }
    }

private:
    void add(std::string problem) {
        if (!std::ranges::contains(problems_, problem)) {
            problems_.push_back(std::move(problem));
        }
    }

    template <typename Options> void look_at_names(const std::vector<Options>& all, const std::string& what) {
        std::set<std::string> seen;
        for (const Options& each : all) {
            if (each.name.empty()) {
                add("the topology has " + what + " without a name; name it");
            } else if (!seen.insert(each.name).second) {
                add("the topology has two entries for " + what + " '" + each.name + "'; put them together");
            } else if (each.name.size() > longest_name) {
                add("the name of " + what + " '" + each.name + "' has " + std::to_string(each.name.size()) +
                    " bytes; make it 255 or fewer");
            }
        }
    }
    void look_at_names() {
        look_at_names(own_.queues, "a queue");
        look_at_names(own_.exchanges, "an exchange");
    }

    void look_at_values(const std::string& where, const arguments& all) {
        for (const header& each : all) {
            if (!is_plain(each.value)) {
                add(where + ": the argument " + each.name + " is neither text nor a whole number nor true or false");
            }
        }
    }

    void look_at(const queue_options& queue) {
        const std::string where = "queue '" + queue.name + "'";
        const queue_definition definition = definition_of(queue.name);
        if (definition.temporary) {
            add(where +
                " belongs to one running instance and has no settings of its own; leave it out of the topology");
            return;
        }
        look_at_values(where, queue.arguments);
        look_at_arguments(where, queue, definition);
        look_at_limit(where, queue, definition);
    }

    void look_at_arguments(const std::string& where, const queue_options& queue, const queue_definition& definition) {
        transport_options without = options_;
        std::ranges::find(without.topology.queues, queue.name, &queue_options::name)->arguments = {};
        const arguments set_by_ferry = plan_for({.queues = {definition}}, without).queues.front().arguments;
        for (const header& each : queue.arguments) {
            const auto* const own = std::ranges::find(options_of_queues, each.name, &named_option::argument);
            if (own != options_of_queues.end()) {
                add(where + ": the argument " + each.name + " has an option of its own; use ." +
                    std::string{own->option});
            } else if (set_by_ferry.contains(each.name)) {
                add(where + ": ferry sets the argument " + each.name + " itself, since the queue has an error queue; " +
                    "leave it away, or give the endpoint no_error_queue()");
            }
        }
    }

    void look_at_limit(const std::string& where, const queue_options& queue, const queue_definition& definition) {
        if (!queue.delivery_limit) {
            return;
        }
        if (*queue.delivery_limit < -1) {
            add(where + ": a delivery limit is a number of deliveries, or -1 for none");
        } else if (*queue.delivery_limit >= 0 && !has_dead_letters(definition, options_)) {
            add(where + " has a delivery limit and no dead letters, so the broker would drop what reaches the limit; "
                        "give it the argument x-dead-letter-exchange, or leave the limit away");
        }
    }

    void look_at(const binding_options& binding) {
        const std::string where = "the binding from '" + binding.exchange + "' to " + binding.target.to_string();
        look_at_values(where, binding.arguments);
        if (binding.exchange.empty() || binding.target.empty() || binding.target.name.empty()) {
            add(where + " has an end without a name; name an exchange, and a queue or another exchange");
            return;
        }
        look_at_end(where, address::exchange(binding.exchange));
        look_at_end(where, binding.target);
        if (binding.routing_key.size() > longest_name) {
            add(where + " has a routing key of " + std::to_string(binding.routing_key.size()) +
                " bytes; make it 255 or fewer");
        }
        if (type_of(binding.exchange) == exchange_type::fanout && !binding.routing_key.empty()) {
            add(where + " has a routing key, at which a fanout exchange does not look; make the exchange a topic or a "
                        "direct one, or leave the key away");
        }
    }

    void look_at_end(const std::string& where, const address& end) {
        const bool known = end.kind == address::kind_type::queue
                               ? std::ranges::contains(wanted_.queues, end.name, &queue_definition::name)
                               : std::ranges::contains(wanted_.exchanges, end.name, &exchange_definition::name) ||
                                     end.name.starts_with("amq.");
        if (!known) {
            add(where + ": nothing says what " + end.to_string() +
                " is; add it to the topology, with provision = false if others create it");
        }
    }

    void look_at_delays() {
        for (const delay_definition& each : wanted_.delays) {
            try {
                (void)delivery_pattern(each.target);
                (void)rounded(each.longest);
            } catch (const error& problem) {
                add(problem.what());
            }
        }
    }

    [[nodiscard]] queue_definition definition_of(const std::string& queue) const {
        const auto found = std::ranges::find(wanted_.queues, queue, &queue_definition::name);
        return found == wanted_.queues.end() ? queue_definition{.name = queue} : *found;
    }

    [[nodiscard]] bool is_stated(const binding_definition& way) const {
        return std::ranges::any_of(own_.bindings, [&](const binding_options& each) {
            return each.exchange == way.exchange && each.target == way.target;
        });
    }

    /// None for one that is not ours, like amq.topic.
    [[nodiscard]] std::optional<exchange_type> type_of(const std::string& exchange) const {
        const auto found = std::ranges::find(own_.exchanges, exchange, &exchange_options::name);
        if (found != own_.exchanges.end()) {
            return found->type;
        }
        const bool ours = std::ranges::contains(wanted_.exchanges, exchange, &exchange_definition::name);
        return ours ? std::optional{exchange_type::fanout} : std::nullopt;
    }

    const topology& wanted_;
    const transport_options& options_;
    const topology_options& own_;
    std::vector<std::string>& problems_;
};

} // namespace

void check_topology(const topology& complete, const transport_options& options, std::vector<std::string>& problems) {
    inspection{complete, options, problems}.run();
}

void check_own_ways(const topology& some, const transport_options& options, std::vector<std::string>& problems) {
    inspection{some, options, problems}.look_at_own_ways();
}

} // namespace ferry::amqp
