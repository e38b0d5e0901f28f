#include "waiting_room.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace ferry::memory {

waiting_room::guest waiting_room::take_first() {
    guest first = std::move(guests_.front());
    guests_.pop_front();
    return first;
}

waiting_room::sends waiting_room::take_late(time_point now) {
    return take_if([now](const guest& each) { return each.deadline <= now; });
}

waiting_room::sends waiting_room::take_all_of(const session& owner) {
    return take_if([&owner](const guest& each) { return each.send->owner() == &owner; });
}

waiting_room::sends waiting_room::take_all() {
    return take_if([](const guest&) { return true; });
}

template <typename Condition> waiting_room::sends waiting_room::take_if(Condition leaves) {
    sends taken;
    const auto leaving = std::ranges::stable_partition(guests_, std::not_fn(leaves));
    for (guest& each : leaving) {
        taken.push_back(std::move(each.send));
    }
    guests_.erase(leaving.begin(), leaving.end());
    return taken;
}

} // namespace ferry::memory
