#include "turns.hpp"

#include <algorithm>
#include <chrono>

namespace ferry::sqlite {

std::optional<turns::turn> turns::wait(duration limit) {
    std::unique_lock lock{mutex_};
    if (taken_) {
        waiting self;
        line_.push_back(&self);
        // "For ever" is a duration, and no clock reaches that far.
        const auto limit_of_clocks = std::min<duration>(limit, std::chrono::days{365});
        if (!self.changed.wait_for(lock, limit_of_clocks, [&self] { return self.admitted; })) {
            std::erase(line_, &self);
            return std::nullopt;
        }
    }
    taken_ = true;
    owner_ = std::this_thread::get_id();
    return turn{*this};
}

bool turns::is_mine() const {
    const std::lock_guard lock{mutex_};
    return taken_ && owner_ == std::this_thread::get_id();
}

std::size_t turns::waiting_for_one() const {
    const std::lock_guard lock{mutex_};
    return line_.size();
}

// The turn passes straight to the next in line, so that nobody who comes just then can push in.
void turns::end() {
    const std::lock_guard lock{mutex_};
    owner_ = {};
    if (line_.empty()) {
        taken_ = false;
        return;
    }
    waiting* const next = line_.front();
    line_.pop_front();
    next->admitted = true;
    next->changed.notify_one();
}

} // namespace ferry::sqlite
