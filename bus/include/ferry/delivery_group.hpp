#pragma once

#include <ferry/store.hpp>
#include <ferry/uuid.hpp>

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace ferry {

/// Deliveries of one slot that share a transaction. They are settled when it is committed. When one of them fails, none
/// of it has happened, and each runs again alone.
class delivery_group {
public:
    explicit delivery_group(unit_of_work& work) noexcept : work_{work} {}
    delivery_group(const delivery_group&) = delete;
    delivery_group& operator=(const delivery_group&) = delete;

    [[nodiscard]] unit_of_work& work() noexcept { return work_; }

    /// Claims all of these in one round trip.
    void claim(const std::vector<inbox_claim>& claims, time_point now);
    /// What came of a claim that was made for the group, each time for the next one alike; none when there is no such.
    [[nodiscard]] std::optional<bool> take_claim(const inbox_claim& claim) noexcept;

    /// A consumer has failed: the group ends here.
    void fail() noexcept { failed_ = true; }
    [[nodiscard]] bool failed() const noexcept { return failed_; }

    /// For what counts only when all of it is committed, and is forgotten when it is not. Must not throw.
    void when_committed(std::move_only_function<void()> then) { after_.push_back(std::move(then)); }
    void committed() noexcept;

private:
    struct answer {
        inbox_claim claim;
        bool fresh;
        bool taken = false;
    };

    unit_of_work& work_;
    std::vector<answer> answers_;
    bool failed_ = false;
    std::vector<std::move_only_function<void()>> after_;
};

} // namespace ferry
