#include "routes.hpp"

#include <algorithm>
#include <utility>

namespace ferry {

route_table::route_table(chosen_routes chosen, std::shared_ptr<const naming> convention)
    : chosen_{std::move(chosen)}, convention_{std::move(convention)} {
    for (const auto& [type, destination] : chosen_.destinations) {
        routes_.emplace(type, make(*type));
    }
    for (const auto& [type, rule] : chosen_.routing_keys) {
        routes_.try_emplace(type, make(*type));
    }
}

message_route& route_table::find(const message_type& type) {
    {
        const std::shared_lock lock{mutex_};
        if (const auto known = routes_.find(&type); known != routes_.end()) {
            return *known->second;
        }
    }
    const std::unique_lock lock{mutex_};
    auto& route = routes_[&type];
    if (route == nullptr) {
        route = make(type);
    }
    return *route;
}

const message_type* route_table::published_to(std::string_view exchange) const {
    const std::shared_lock lock{mutex_};
    const auto found =
        std::ranges::find_if(routes_, [&](const auto& each) { return each.second->published_to.name == exchange; });
    return found == routes_.end() ? nullptr : found->second->type;
}

std::vector<const message_route*> route_table::all() const {
    std::vector<const message_route*> routes;
    {
        const std::shared_lock lock{mutex_};
        for (const auto& [type, route] : routes_) {
            routes.push_back(route.get());
        }
    }
    std::ranges::sort(routes, {}, [](const message_route* each) { return std::string_view{each->type->urn}; });
    return routes;
}

void route_table::add_exchanges(const message_type& type, topology& wanted) const {
    const std::string own = convention_->exchange(type);
    wanted.exchanges.push_back({own});
    for (const message_type* base : type.encloses) {
        const std::string enclosed = convention_->exchange(*base);
        wanted.exchanges.push_back({enclosed});
        wanted.bindings.push_back({own, address::exchange(enclosed)});
    }
}

// The first who has something to say: the user, the message itself, the convention.
address route_table::destination_of(const message_type& type) const {
    if (const auto chosen = chosen_.destinations.find(&type); chosen != chosen_.destinations.end()) {
        return chosen->second;
    }
    if (!type.destination.empty()) {
        return type.destination;
    }
    const std::string queue = convention_->message_queue(type);
    return queue.empty() ? chosen_.otherwise : address::queue(queue);
}

std::unique_ptr<message_route> route_table::make(const message_type& type) const {
    auto route = std::make_unique<message_route>();
    route->type = &type;
    route->published_to = address::exchange(convention_->exchange(type));
    route->sent_to = destination_of(type);
    if (const auto rule = chosen_.routing_keys.find(&type); rule != chosen_.routing_keys.end()) {
        route->routing_key = rule->second;
    }
    return route;
}

} // namespace ferry
