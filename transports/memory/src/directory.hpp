#pragma once

#include "queue.hpp"
#include "routes.hpp"

#include <ferry/topology.hpp>

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace ferry::memory {

/// What has been declared at a broker, and the routes that follow from it.
class directory {
public:
    using queue_maker = std::function<std::shared_ptr<queue>(const queue_definition&)>;

    explicit directory(std::shared_ptr<routes> ways) : routes_{std::move(ways)} {}

    /// Adds what is new of `wanted`: all of it, or, when something is wrong with it, nothing.
    void declare(const topology& wanted, const queue_maker& make);
    /// Takes out the queues that go with this transport, and what was bound to them.
    std::vector<std::shared_ptr<queue>> remove_queues_of(const session& owner);
    [[nodiscard]] std::vector<std::shared_ptr<queue>> queues() const;

private:
    void check(const queue_definition& wanted) const;
    void check(const binding_definition& wanted, const topology& all) const;
    [[nodiscard]] bool knows(const address& place, const topology& all) const;
    void bind(const binding_definition& wanted);
    void unbind(const address& target);
    void work_out_routes() const;

    mutable std::mutex mutex_;
    std::shared_ptr<routes> routes_;
    std::map<std::string, std::shared_ptr<queue>, std::less<>> queues_;
    std::map<std::string, std::vector<address>, std::less<>> exchanges_; // each with what is bound to it
};

} // namespace ferry::memory
