#include "consumer_rota.hpp"

#include <algorithm>
#include <iterator>

namespace ferry::memory {

namespace {

constexpr std::size_t largest_batch = 64;

} // namespace

void consumer_rota::leave(const consumer* leaving) { std::erase(consumers_, leaving); }

std::vector<const consumer*> consumer_rota::all_of(const session& owner) const {
    std::vector<const consumer*> found;
    std::ranges::copy_if(consumers_, std::back_inserter(found),
                         [&](const consumer* each) { return each->belongs_to(owner); });
    return found;
}

consumer* consumer_rota::next(std::size_t waiting) noexcept {
    if (waiting == 0) {
        return nullptr;
    }
    for (std::size_t asked = 0; asked < consumers_.size(); ++asked) {
        turn_ = (turn_ + 1) % consumers_.size();
        if (consumers_[turn_]->wants(waiting)) {
            return consumers_[turn_];
        }
    }
    return nullptr;
}

std::size_t consumer_rota::share_of(const consumer& taking, std::size_t waiting) const noexcept {
    if (taking.for_one) {
        return 1;
    }
    const std::size_t even = (waiting + consumers_.size() - 1) / consumers_.size();
    return std::min({even, taking.credit(), largest_batch});
}

} // namespace ferry::memory
