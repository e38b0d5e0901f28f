#pragma once

#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

namespace ferry::postgres {

/// Which consumers have asked for a pqxx::work, and will again.
class work_users {
public:
    void remember(std::string_view consumer) {
        const std::lock_guard lock{mutex_};
        consumers_.emplace(consumer);
    }
    [[nodiscard]] bool include(std::string_view consumer) const {
        const std::lock_guard lock{mutex_};
        return consumers_.contains(consumer);
    }

private:
    mutable std::mutex mutex_;
    std::set<std::string, std::less<>> consumers_;
};

} // namespace ferry::postgres
