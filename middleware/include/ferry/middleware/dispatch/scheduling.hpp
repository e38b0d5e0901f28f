#pragma once

#include <ferry/dispatch_context.hpp>
#include <ferry/pipeline.hpp>
#include <ferry/scheduler.hpp>

#include <string_view>

namespace ferry::middleware {

/// Keeps a message that waits for its time where it can be cancelled; it goes no further now. From a handler, it waits
/// for the handler's success first.
class scheduling {
public:
    static constexpr std::string_view key = "scheduling";

    explicit scheduling(ferry::scheduler& scheduler) noexcept : scheduler_{&scheduler} {}
    void operator()(dispatch_context& message, next<dispatch_context> next) const;

private:
    ferry::scheduler* scheduler_;
};

} // namespace ferry::middleware
