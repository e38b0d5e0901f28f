#include "directory.hpp"

#include <ferry/error.hpp>

#include <algorithm>
#include <ranges>
#include <set>
#include <utility>

namespace ferry::memory {

namespace {

using binding_map = std::map<std::string, std::vector<address>, std::less<>>;

void check_name(std::string_view name, std::string_view what) {
    if (name.empty()) {
        throw error{std::string{what} + " needs a name"};
    }
}

void check_same(const std::string& queue, std::string_view property, const std::string& is, const std::string& wanted) {
    if (is != wanted) {
        throw error{"the queue \"" + queue + "\" exists already with " + std::string{property} + " = " + is +
                    " and cannot be declared with " + std::string{property} + " = " + wanted};
    }
}

std::string text(bool value) { return value ? "true" : "false"; }

std::string quoted(const std::string& value) { return '"' + value + '"'; }

/// Every queue name that can be reached from an exchange; an exchange that was visited already adds nothing, so cycles
/// end.
void collect(const std::string& exchange, const binding_map& bindings, std::set<std::string>& visited,
             std::set<std::string>& queues) {
    if (!visited.insert(exchange).second) {
        return;
    }
    for (const address& target : bindings.at(exchange)) {
        if (target.kind == address::kind_type::queue) {
            queues.insert(target.name);
        } else {
            collect(target.name, bindings, visited, queues);
        }
    }
}

} // namespace

void directory::declare(const topology& wanted, const queue_maker& make) {
    const std::lock_guard lock{mutex_};
    std::ranges::for_each(wanted.queues, [&](const auto& each) { check(each); });
    std::ranges::for_each(wanted.exchanges, [](const auto& each) { check_name(each.name, "an exchange"); });
    std::ranges::for_each(wanted.bindings, [&](const auto& each) { check(each, wanted); });

    for (const queue_definition& each : wanted.queues) {
        if (!queues_.contains(each.name)) {
            queues_.emplace(each.name, make(each));
        }
    }
    for (const exchange_definition& each : wanted.exchanges) {
        exchanges_.try_emplace(each.name);
    }
    std::ranges::for_each(wanted.bindings, [&](const auto& each) { bind(each); });
    work_out_routes();
}

std::vector<std::shared_ptr<queue>> directory::remove_queues_of(const session& owner) {
    const std::lock_guard lock{mutex_};
    std::vector<std::shared_ptr<queue>> removed;
    std::erase_if(queues_, [&](const auto& entry) {
        const bool leaves = entry.second->goes_with(owner);
        if (leaves) {
            removed.push_back(entry.second);
            unbind(address::queue(entry.first));
        }
        return leaves;
    });
    if (!removed.empty()) {
        work_out_routes();
    }
    return removed;
}

std::vector<std::shared_ptr<queue>> directory::queues() const {
    const std::lock_guard lock{mutex_};
    return std::ranges::to<std::vector>(std::views::values(queues_));
}

void directory::check(const queue_definition& wanted) const {
    check_name(wanted.name, "a queue");
    if (const auto found = queues_.find(wanted.name); found != queues_.end()) {
        const queue_definition& is = found->second->definition();
        check_same(is.name, "temporary", text(is.temporary), text(wanted.temporary));
        check_same(is.name, "dead_letters", quoted(is.dead_letters), quoted(wanted.dead_letters));
    }
}

void directory::check(const binding_definition& wanted, const topology& all) const {
    for (const address& end : {address::exchange(wanted.exchange), wanted.target}) {
        if (!knows(end, all)) {
            throw error{"the binding from exchange \"" + wanted.exchange + "\" to " + wanted.target.to_string() +
                        " cannot be made: " + end.to_string() + " is not declared"};
        }
    }
}

bool directory::knows(const address& place, const topology& all) const {
    if (place.kind == address::kind_type::queue) {
        return queues_.contains(place.name) || std::ranges::contains(all.queues, place.name, &queue_definition::name);
    }
    return exchanges_.contains(place.name) ||
           std::ranges::contains(all.exchanges, place.name, &exchange_definition::name);
}

void directory::bind(const binding_definition& wanted) {
    std::vector<address>& bound = exchanges_.at(wanted.exchange);
    if (!std::ranges::contains(bound, wanted.target)) {
        bound.push_back(wanted.target);
    }
}

void directory::unbind(const address& target) {
    for (std::vector<address>& bound : std::views::values(exchanges_)) {
        std::erase(bound, target);
    }
}

void directory::work_out_routes() const {
    routes::table queues;
    routes::table exchanges;
    for (const auto& [name, queue] : queues_) {
        queues.emplace(name, std::make_shared<const route>(route{queue}));
    }
    for (const auto& [name, bound] : exchanges_) {
        std::set<std::string> visited;
        std::set<std::string> reached;
        collect(name, exchanges_, visited, reached);
        auto way = reached | std::views::transform([&](const std::string& each) { return queues_.find(each)->second; });
        exchanges.emplace(name, std::make_shared<const route>(std::ranges::to<route>(way)));
    }
    routes_->replace(std::move(queues), std::move(exchanges));
}

} // namespace ferry::memory
