#pragma once

#include <ferry/dispatch_context.hpp>
#include <ferry/observer.hpp>
#include <ferry/pipeline.hpp>
#include <ferry/pipeline_defaults.hpp>

#include <optional>
#include <string_view>

namespace ferry::middleware {

/// Tells the bus's observers of each message that leaves. Outermost: what they write into its headers is in the
/// envelope that is sent, stored or kept for later.
class dispatch_instrumentation {
public:
    static constexpr std::string_view key = "instrumentation";

    explicit dispatch_instrumentation(observer& watching) noexcept : observer_{&watching} {}
    /// None for a bus without observers.
    [[nodiscard]] static std::optional<dispatch_instrumentation> from(const stage_ports& ports);
    void operator()(dispatch_context& message, next<dispatch_context> next) const;

private:
    observer* observer_;
};

} // namespace ferry::middleware
