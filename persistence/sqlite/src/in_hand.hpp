#pragma once

#include <cstdint>
#include <set>
#include <unordered_set>

namespace ferry::sqlite {

/// Which rows and shards of the outbox are on their way. A database of one process needs to remember that nowhere else,
/// and so nothing is locked while messages travel.
struct in_hand {
    std::unordered_set<std::int64_t> rows;
    std::set<int> shards;
};

} // namespace ferry::sqlite
