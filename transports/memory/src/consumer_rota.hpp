#pragma once

#include "consumer.hpp"

#include <cstddef>
#include <vector>

namespace ferry::memory {

/// The consumers of one queue, taking turns.
class consumer_rota {
public:
    void join(consumer& next) { consumers_.push_back(&next); }
    void leave(const consumer* leaving);
    [[nodiscard]] std::vector<const consumer*> all_of(const session& owner) const;

    [[nodiscard]] bool empty() const noexcept { return consumers_.empty(); }
    /// The next one that wants some of the `waiting` messages; nullptr when none does.
    [[nodiscard]] consumer* next(std::size_t waiting) noexcept;
    /// How many of the waiting messages that one should get, so that the others find some too.
    [[nodiscard]] std::size_t share_of(const consumer& taking, std::size_t waiting) const noexcept;

private:
    std::vector<consumer*> consumers_;
    std::size_t turn_ = 0;
};

} // namespace ferry::memory
