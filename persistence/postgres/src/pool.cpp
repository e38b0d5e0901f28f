#include "pool.hpp"

#include <ferry/postgres/errors.hpp>

#include <format>

namespace ferry::postgres {

pool::pool(const target& server, const store_options& options, std::size_t limit, std::string_view remedy,
           std::string_view settings)
    : server_{server}, options_{options}, limit_{limit}, remedy_{remedy}, settings_{settings} {
    idle_.reserve(limit); // giving back must not fail
}

pool::lease pool::acquire() {
    while (std::unique_ptr<session> idle = idle_or_room()) {
        if (!idle->has_died()) {
            return lease{idle.release(), {this}};
        }
        forget(std::move(idle));
    }
    return connect();
}

/// An idle connection, or none when there is room for a new one, which is reserved then.
std::unique_ptr<session> pool::idle_or_room() {
    std::unique_lock lock{mutex_};
    if (!freed_.wait_for(lock, options_.connection_wait, [this] { return !idle_.empty() || open_ < limit_; })) {
        throw sql_error{std::format("all {} connections to {} were in use for {}; {}", limit_, server_.description(),
                                    std::chrono::duration_cast<std::chrono::milliseconds>(options_.connection_wait),
                                    remedy_),
                        "53300", true};
    }
    if (idle_.empty()) {
        ++open_;
        return nullptr;
    }
    std::unique_ptr<session> last = std::move(idle_.back());
    idle_.pop_back();
    return last;
}

pool::lease pool::connect() {
    try {
        return lease{std::make_unique<session>(server_.connect(), options_, settings_).release(), {this}};
    } catch (...) {
        forget(nullptr);
        throw;
    }
}

void pool::take_back(session* used) noexcept {
    std::unique_ptr<session> returned{used};
    if (returned->is_spoilt() || returned->only_reads() || !returned->roll_back()) {
        return forget(std::move(returned));
    }
    const std::lock_guard lock{mutex_};
    idle_.push_back(std::move(returned));
    freed_.notify_one();
}

void pool::forget(std::unique_ptr<session> broken) noexcept {
    broken.reset(); // before its place is given away
    const std::lock_guard lock{mutex_};
    --open_;
    freed_.notify_one();
}

} // namespace ferry::postgres
