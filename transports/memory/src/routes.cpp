#include "routes.hpp"

#include <mutex>

namespace ferry::memory {

std::shared_ptr<const route> routes::find(const address& destination) const {
    const std::shared_lock lock{mutex_};
    const table& names = destination.kind == address::kind_type::queue ? queues_ : exchanges_;
    const auto found = names.find(destination.name);
    return found == names.end() ? nullptr : found->second;
}

std::shared_ptr<queue> routes::find_queue(std::string_view name) const {
    const std::shared_lock lock{mutex_};
    const auto found = queues_.find(name);
    return found == queues_.end() ? nullptr : found->second->front();
}

void routes::replace(table queues, table exchanges) {
    const std::unique_lock lock{mutex_};
    queues_.swap(queues); // the old tables are taken apart after the lock is gone
    exchanges_.swap(exchanges);
}

} // namespace ferry::memory
