#include "reconnect_schedule.hpp"

#include <algorithm>

namespace ferry::amqp {

namespace {

constexpr duration shortest_success = std::chrono::seconds{1};

} // namespace

reconnect_schedule::attempt reconnect_schedule::next(double random) noexcept {
    if (attempts_ == 0) {
        first_ = any_server(random);
    }
    const std::size_t round = attempts_ / servers_;
    const std::size_t place = attempts_ % servers_;
    ++attempts_;
    if (place > 0) {
        return {.server = (first_ + place) % servers_, .wait = duration::zero()};
    }
    waited_ = round > 0 ? wait_before(round, random) : duration::zero();
    return {.server = first_, .wait = waited_};
}

void reconnect_schedule::worked_for(duration how_long) noexcept {
    if (how_long > std::max(waited_, shortest_success)) {
        attempts_ = 0;
    }
}

std::size_t reconnect_schedule::any_server(double random) const noexcept {
    return std::min(static_cast<std::size_t>(random * static_cast<double>(servers_)), servers_ - 1);
}

duration reconnect_schedule::wait_before(std::size_t round, double random) const noexcept {
    constexpr std::size_t enough_to_reach_any_cap = 64;
    const int earlier_waits = static_cast<int>(std::min(round - 1, enough_to_reach_any_cap));
    // Jitter only shortens. Were it cut off at the cap instead, all that wait longest would come back together.
    const duration half = std::min(backoff_.delay(earlier_waits), backoff_.max_delay) / 2;
    return half + duration{static_cast<duration::rep>(static_cast<double>(half.count()) * random)};
}

} // namespace ferry::amqp
