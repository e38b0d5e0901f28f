#include <ferry/features.hpp>

#include <algorithm>
#include <utility>

namespace ferry {

void feature_set::clear() noexcept { rewind(absent); }

void feature_set::rewind(era mark) noexcept {
    for (entry& each : entries_) {
        if (each.since != absent && each.since >= mark) {
            each.since = absent;
            each.renew(each.object.get());
        }
    }
}

feature_set::entry* feature_set::find_entry(const void* key) noexcept {
    const auto found = std::ranges::find(entries_, key, &entry::key);
    return found == entries_.end() ? nullptr : &*found;
}

feature_set::entry& feature_set::add(const void* key, std::shared_ptr<void> object, void (*reviver)(void*)) {
    return entries_.emplace_back(key, std::move(object), reviver, absent);
}

} // namespace ferry
