#pragma once

#include <ferry/observer.hpp>
#include <ferry/pipeline.hpp>

#include <memory>

namespace ferry::middleware {

/// Lets the stages further in tell the observation what happens, for as long as it is there.
template <typename Context> class told {
public:
    told(Context& message, observation& about) noexcept : message_{message} { message_.observe_with(&about); }
    told(const told&) = delete;
    told& operator=(const told&) = delete;
    ~told() { message_.observe_with(nullptr); }

private:
    Context& message_;
};

/// Runs the rest of the pipeline under an observation, if there is one.
template <typename Context>
void run_observed(const std::unique_ptr<observation>& work, Context& message, next<Context> next) {
    if (!work) {
        return next(message);
    }
    const told<Context> telling{message, *work};
    try {
        next(message);
    } catch (...) {
        work->failed(std::current_exception());
        throw;
    }
}

} // namespace ferry::middleware
