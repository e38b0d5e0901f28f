#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_set>

namespace ferry::telemetry {

/// Names that metrics are told apart by, which must not become ever more: those beyond the first hundreds are all one.
class bounded_names {
public:
    static constexpr std::size_t most = 256;
    static constexpr std::string_view others = "other";

    /// The name itself, for as long as this object is there; or `others`.
    [[nodiscard]] std::string_view admit(std::string_view name) {
        {
            const std::shared_lock lock{mutex_};
            if (const auto found = known_.find(name); found != known_.end()) {
                return *found;
            }
            if (known_.size() >= most) {
                return others;
            }
        }
        const std::scoped_lock lock{mutex_};
        return known_.size() < most || known_.contains(name) ? std::string_view{*known_.emplace(name).first} : others;
    }

private:
    struct hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view name) const noexcept { return std::hash<std::string_view>{}(name); }
    };

    std::shared_mutex mutex_;
    std::unordered_set<std::string, hash, std::equal_to<>> known_;
};

} // namespace ferry::telemetry
