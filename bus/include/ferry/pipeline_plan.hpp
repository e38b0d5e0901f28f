#pragma once

#include <ferry/pipeline.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ferry {

/// Where a user's stage goes: innermost (right before the last stage, which does the pipeline's own work), or next to a
/// stage that is named by its key.
template <typename Context> struct placement {
    enum class where : unsigned char { innermost, before, after };

    where position = where::innermost;
    std::string anchor;
    stage<Context> added;
};

/// A pipeline while it is put together: the default stages in order, then what users placed among them.
template <typename Context> class pipeline_plan {
public:
    /// Adds a stage behind the others, under the key its class states.
    template <typename Stage> pipeline_plan& use(Stage added) {
        entries_.push_back({std::string{Stage::key}, stage<Context>{Stage::key, std::move(added)}, {}});
        return *this;
    }
    /// A stage that is switched off is not in the chain at all; but its place is known, so that others can be placed
    /// next to it all the same.
    template <typename Stage> pipeline_plan& use(std::optional<Stage> added) {
        if (added) {
            return use(*std::move(added));
        }
        entries_.push_back({std::string{Stage::key}, std::nullopt, {}});
        return *this;
    }

    /// Puts a user's stage where it belongs; returns what is wrong with it, or nothing.
    [[nodiscard]] std::optional<std::string> place(const placement<Context>& wish) {
        using where = typename placement<Context>::where;
        if (const auto same = find(wish.added.key()); same != entries_.end()) {
            if (same->body) {
                return "the pipeline has two stages with the key '" + wish.added.key() +
                       "'; give one of them another key";
            }
            entries_.erase(same); // it was switched off, and the user brings another
        }
        if (wish.position == where::innermost) {
            entries_.insert(entries_.empty() ? entries_.end() : entries_.end() - 1, entry_of(wish, {}));
            return std::nullopt;
        }
        const auto anchor = find(wish.anchor);
        if (anchor == entries_.end()) {
            return "stage '" + wish.added.key() + "' is placed next to '" + wish.anchor +
                   "', which is not in the pipeline; it has " + known_keys();
        }
        if (wish.position == where::after && anchor + 1 == entries_.end()) {
            return "stage '" + wish.added.key() + "' is placed after '" + wish.anchor +
                   "', which ends the pipeline; place it before that";
        }
        if (wish.position == where::before) {
            entries_.insert(anchor, entry_of(wish, {}));
        } else {
            entries_.insert(behind_all_after(anchor), entry_of(wish, wish.anchor));
        }
        return std::nullopt;
    }

    [[nodiscard]] pipeline<Context> seal() && {
        std::vector<stage<Context>> stages;
        for (entry& each : entries_) {
            if (each.body) {
                stages.push_back(*std::move(each.body));
            }
        }
        return pipeline<Context>{std::move(stages)};
    }

private:
    struct entry {
        std::string key;
        std::optional<stage<Context>> body; ///< none while it is switched off
        std::string placed_after;           ///< the key a user placed it after, if one did
    };
    [[nodiscard]] static entry entry_of(const placement<Context>& wish, std::string placed_after) {
        return {wish.added.key(), wish.added, std::move(placed_after)};
    }

    [[nodiscard]] auto find(std::string_view key) {
        return std::find_if(entries_.begin(), entries_.end(), [&](const entry& each) { return each.key == key; });
    }
    // Of several stages after the same one the first placed comes first, so that wider scopes stay outside narrower
    // ones.
    [[nodiscard]] auto behind_all_after(typename std::vector<entry>::iterator anchor) {
        const std::string key = anchor->key;
        return std::find_if(anchor + 1, entries_.end(), [&](const entry& each) { return each.placed_after != key; });
    }
    [[nodiscard]] std::string known_keys() const {
        std::string keys;
        for (const entry& each : entries_) {
            keys += (keys.empty() ? "'" : ", '") + each.key + "'";
        }
        return keys.empty() ? "no stages" : keys;
    }

    std::vector<entry> entries_;
};

} // namespace ferry
