#pragma once

#include <ferry/dispatch_context.hpp>
#include <ferry/persistence.hpp>
#include <ferry/pipeline.hpp>
#include <ferry/pipeline_defaults.hpp>

#include <optional>
#include <string_view>

namespace ferry::middleware {

/// Ends the way of a message in the database instead of at the broker: in its handler's transaction, or in one of its
/// own. The relay takes it from there. What its sender wants to leave at once, and requests, whose sender waits, pass.
class outbox {
public:
    static constexpr std::string_view key = "outbox";

    outbox(const persistence_options& options, outbox_writer& writer) noexcept : options_{&options}, writer_{&writer} {}
    /// None for a bus without an outbox.
    [[nodiscard]] static std::optional<outbox> from(const stage_ports& ports);
    void operator()(dispatch_context& message, next<dispatch_context> next) const;

private:
    void check(const envelope& message) const;

    const persistence_options* options_;
    outbox_writer* writer_;
};

} // namespace ferry::middleware
