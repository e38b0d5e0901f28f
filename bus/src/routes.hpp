#pragma once

#include "shared_attempt.hpp"

#include <ferry/address.hpp>
#include <ferry/message.hpp>
#include <ferry/routing_key.hpp>
#include <ferry/transport.hpp>

#include <map>
#include <memory>
#include <shared_mutex>
#include <unordered_map>
#include <vector>

namespace ferry {

/// Where one type of message goes.
struct message_route {
    const message_type* type = nullptr;
    address published_to;
    address sent_to;
    routing_key_rule routing_key; ///< empty where nobody asked for one
    shared_attempt declared;      // its exchange, before the first message is published to it
};

/// What the user has said of where messages go.
struct chosen_routes {
    std::map<const message_type*, address> destinations;
    address otherwise = {}; ///< where a message goes that has no destination by any rule
    std::map<const message_type*, routing_key_rule> routing_keys;
};

/// Where every type of message goes: by the user's own routes, else by the naming convention. A type without a route of
/// the user's is known from the first time it is asked for, so publishing one needs no registration.
class route_table {
public:
    route_table(chosen_routes chosen, std::shared_ptr<const naming> convention);

    [[nodiscard]] message_route& find(const message_type& type);
    /// The type that is published to this exchange; nullptr when nobody has asked for such a type yet.
    [[nodiscard]] const message_type* published_to(std::string_view exchange) const;
    [[nodiscard]] std::vector<const message_route*> all() const;

    /// The exchange of a type, those of the types it encloses, and the bindings between them.
    void add_exchanges(const message_type& type, topology& wanted) const;

private:
    [[nodiscard]] address destination_of(const message_type& type) const;
    [[nodiscard]] std::unique_ptr<message_route> make(const message_type& type) const;

    chosen_routes chosen_;
    std::shared_ptr<const naming> convention_;
    mutable std::shared_mutex mutex_;
    std::unordered_map<const message_type*, std::unique_ptr<message_route>> routes_;
};

} // namespace ferry
