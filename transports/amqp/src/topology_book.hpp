#pragma once

#include <ferry/topology.hpp>

#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

namespace ferry::amqp {

/// Everything a transport has declared so far, to be declared again on every new connection. For any thread.
class topology_book {
public:
    void add(const topology& wanted);
    [[nodiscard]] bool has_all(const topology& wanted) const;
    [[nodiscard]] topology all() const;
    [[nodiscard]] std::optional<queue_definition> find(std::string_view queue) const;
    [[nodiscard]] std::vector<std::string> temporary_queues() const;

private:
    mutable std::mutex mutex_;
    topology all_;
};

} // namespace ferry::amqp
