#pragma once

#include <ferry/dispatch_context.hpp>

#include <memory>
#include <mutex>
#include <vector>

namespace ferry {

/// Dispatch contexts for callers that have none of their own, kept between messages.
class context_pool {
    struct give_back {
        context_pool* pool;
        void operator()(dispatch_context* context) const noexcept { pool->put(context); }
    };

public:
    using lease = std::unique_ptr<dispatch_context, give_back>;

    [[nodiscard]] lease take() {
        {
            const std::scoped_lock lock{mutex_};
            if (!idle_.empty()) {
                lease taken{idle_.back().release(), {this}};
                idle_.pop_back();
                return taken;
            }
        }
        return lease{new dispatch_context, {this}};
    }

private:
    // As many as a burst is likely to use again; the rest is freed.
    static constexpr std::size_t most = 64;

    void put(dispatch_context* context) noexcept {
        context->clear();
        std::unique_ptr<dispatch_context> owned{context};
        const std::scoped_lock lock{mutex_};
        if (idle_.size() < most) {
            idle_.reserve(most);
            idle_.push_back(std::move(owned));
        }
    }

    std::mutex mutex_;
    std::vector<std::unique_ptr<dispatch_context>> idle_;
};

} // namespace ferry
