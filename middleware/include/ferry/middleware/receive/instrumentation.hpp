#pragma once

#include <ferry/observer.hpp>
#include <ferry/pipeline.hpp>
#include <ferry/pipeline_defaults.hpp>
#include <ferry/receive_context.hpp>

#include <optional>
#include <string_view>

namespace ferry::middleware {

/// Tells the bus's observers of each delivery. Outside everything that may end one, so that a dead letter is still
/// observed; inside the transport's circuit breaker, which lets nothing pass that is worth observing while it is open.
class receive_instrumentation {
public:
    static constexpr std::string_view key = "instrumentation";

    explicit receive_instrumentation(observer& watching) noexcept : observer_{&watching} {}
    /// None for a bus without observers.
    [[nodiscard]] static std::optional<receive_instrumentation> from(const stage_ports& ports);
    void operator()(receive_context& message, next<receive_context> next) const;

private:
    observer* observer_;
};

} // namespace ferry::middleware
