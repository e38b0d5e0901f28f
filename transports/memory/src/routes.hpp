#pragma once

#include <ferry/address.hpp>

#include <memory>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ferry::memory {

class queue;

/// The queues a message reaches from one address, each once.
using route = std::vector<std::shared_ptr<queue>>;

/// Where messages go, worked out beforehand: finding the way of a message is one look into a table.
class routes {
public:
    struct text_hash : std::hash<std::string_view> {
        using is_transparent = void;
    };
    using table = std::unordered_map<std::string, std::shared_ptr<const route>, text_hash, std::equal_to<>>;

    /// The way from an address; nullptr when nothing of that name was declared.
    [[nodiscard]] std::shared_ptr<const route> find(const address& destination) const;
    /// The queue of that name, or nullptr.
    [[nodiscard]] std::shared_ptr<queue> find_queue(std::string_view name) const;

    void replace(table queues, table exchanges);

private:
    mutable std::shared_mutex mutex_;
    table queues_;
    table exchanges_;
};

} // namespace ferry::memory
