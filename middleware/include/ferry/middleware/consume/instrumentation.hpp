#pragma once

#include <ferry/consume_context.hpp>
#include <ferry/observer.hpp>
#include <ferry/pipeline.hpp>
#include <ferry/pipeline_defaults.hpp>

#include <optional>
#include <string_view>

namespace ferry::middleware {

/// Tells the bus's observers of each attempt of a consumer. Inside the retries, so that each is one of its own; outside
/// the transaction, whose commit belongs to the attempt.
class consume_instrumentation {
public:
    static constexpr std::string_view key = "instrumentation";

    explicit consume_instrumentation(observer& watching) noexcept : observer_{&watching} {}
    /// None for a bus without observers.
    [[nodiscard]] static std::optional<consume_instrumentation> from(const stage_ports& ports);
    void operator()(consume_context& message, next<consume_context> next) const;

private:
    observer* observer_;
};

} // namespace ferry::middleware
