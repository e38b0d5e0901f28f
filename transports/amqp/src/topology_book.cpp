#include "topology_book.hpp"

#include <algorithm>

namespace ferry::amqp {

namespace {

template <typename Definition> void add_new(const std::vector<Definition>& more, std::vector<Definition>& all) {
    for (const Definition& each : more) {
        if (!std::ranges::contains(all, each)) {
            all.push_back(each);
        }
    }
}

} // namespace

void topology_book::add(const topology& wanted) {
    const std::scoped_lock lock{mutex_};
    add_new(wanted.queues, all_.queues);
    add_new(wanted.exchanges, all_.exchanges);
    add_new(wanted.bindings, all_.bindings);
}

bool topology_book::has_all(const topology& wanted) const {
    const std::scoped_lock lock{mutex_};
    const auto known = [](const auto& some, const auto& all) {
        return std::ranges::all_of(some, [&](const auto& each) { return std::ranges::contains(all, each); });
    };
    return known(wanted.queues, all_.queues) && known(wanted.exchanges, all_.exchanges) &&
           known(wanted.bindings, all_.bindings);
}

topology topology_book::all() const {
    const std::scoped_lock lock{mutex_};
    return all_;
}

std::optional<queue_definition> topology_book::find(std::string_view queue) const {
    const std::scoped_lock lock{mutex_};
    const auto found = std::ranges::find(all_.queues, queue, &queue_definition::name);
    return found == all_.queues.end() ? std::nullopt : std::optional{*found};
}

std::vector<std::string> topology_book::temporary_queues() const {
    const std::scoped_lock lock{mutex_};
    std::vector<std::string> names;
    for (const queue_definition& each : all_.queues) {
        if (each.temporary) {
            names.push_back(each.name);
        }
    }
    return names;
}

} // namespace ferry::amqp
