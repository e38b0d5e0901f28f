#include <ferry/delivery_group.hpp>

#include <algorithm>
#include <memory>

namespace ferry {

void delivery_group::claim(const std::vector<inbox_claim>& claims, time_point now) {
    if (claims.empty()) {
        return;
    }
    const auto fresh = std::make_unique<bool[]>(claims.size());
    work_.claim(claims, now, {fresh.get(), claims.size()});
    for (std::size_t i = 0; i < claims.size(); ++i) {
        answers_.push_back({.claim = claims[i], .fresh = fresh[i]});
    }
}

std::optional<bool> delivery_group::take_claim(const inbox_claim& claim) noexcept {
    const auto found = std::ranges::find_if(answers_, [&](const answer& each) {
        return !each.taken && each.claim.message == claim.message && each.claim.consumer == claim.consumer;
    });
    if (found == answers_.end()) {
        return std::nullopt;
    }
    found->taken = true;
    return found->fresh;
}

void delivery_group::committed() noexcept {
    for (auto& each : after_) {
        each();
    }
}

} // namespace ferry
