#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

namespace ferry::testing {

/// How long a test waits for what must happen. Only a broken build ever waits this long.
inline constexpr std::chrono::seconds longest_wait{10};

/// Looks until the condition holds, for what can only be looked at; false when patience ran out.
template <typename Condition> [[nodiscard]] bool eventually(Condition condition) {
    const auto deadline = std::chrono::steady_clock::now() + longest_wait;
    while (!condition()) {
        if (std::chrono::steady_clock::now() > deadline) {
            return false;
        }
        std::this_thread::yield();
    }
    return true;
}

/// A value that threads change and tests wait for: no polling, no sleeping.
template <typename Value> class watched {
public:
    watched() = default;
    explicit watched(Value value) : value_{std::move(value)} {}

    template <typename Change> void change(Change&& change) {
        const std::lock_guard lock{mutex_};
        change(value_);
        changed_.notify_all();
    }

    /// Waits until `condition(value)` holds; false when patience ran out.
    template <typename Condition> [[nodiscard]] bool eventually(Condition&& condition) const {
        std::unique_lock lock{mutex_};
        return changed_.wait_for(lock, longest_wait, [&] { return condition(value_); });
    }

    /// Waits until `condition(value)` holds and changes the value before anybody else can; false when patience ran out.
    template <typename Condition, typename Change> bool change_when(Condition&& condition, Change&& change) {
        std::unique_lock lock{mutex_};
        if (!changed_.wait_for(lock, longest_wait, [&] { return condition(value_); })) {
            return false;
        }
        change(value_);
        changed_.notify_all();
        return true;
    }

    [[nodiscard]] Value get() const {
        const std::lock_guard lock{mutex_};
        return value_;
    }

    /// Looks at the value without copying it.
    template <typename Look> decltype(auto) look(Look&& look) const {
        const std::lock_guard lock{mutex_};
        return look(value_);
    }

    /// Takes the value out and leaves a fresh one.
    [[nodiscard]] Value take() {
        const std::lock_guard lock{mutex_};
        return std::exchange(value_, Value{});
    }

private:
    mutable std::mutex mutex_;
    mutable std::condition_variable changed_;
    Value value_{};
};

} // namespace ferry::testing
