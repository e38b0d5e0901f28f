#pragma once

#include <ferry/time.hpp>

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace ferry::sqlite {

/// Lets one at a time go on, in the order they came.
class turns {
public:
    /// Ends when it is destroyed; the next in line goes on then.
    class turn {
    public:
        explicit turn(turns& line) noexcept : line_{&line} {}
        turn(turn&& other) noexcept : line_{std::exchange(other.line_, nullptr)} {}
        turn& operator=(turn&&) = delete;
        ~turn() {
            if (line_ != nullptr) {
                line_->end();
            }
        }

    private:
        turns* line_;
    };

    /// None when it was not one's turn within the limit.
    [[nodiscard]] std::optional<turn> wait(duration limit);
    /// Whether the turn was given to this thread, which would wait for itself.
    [[nodiscard]] bool is_mine() const;
    [[nodiscard]] std::size_t waiting_for_one() const;

private:
    struct waiting {
        std::condition_variable changed;
        bool admitted = false;
    };

    void end();

    mutable std::mutex mutex_;
    std::deque<waiting*> line_;
    bool taken_ = false;
    std::thread::id owner_;
};

} // namespace ferry::sqlite
