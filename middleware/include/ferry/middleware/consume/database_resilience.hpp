#pragma once

#include <ferry/consume_context.hpp>
#include <ferry/counters.hpp>
#include <ferry/pipeline.hpp>
#include <ferry/pipeline_defaults.hpp>
#include <ferry/store.hpp>
#include <ferry/time.hpp>

#include <optional>
#include <string_view>

namespace ferry::middleware {

/// Runs an attempt again that failed for the database's sake and not for the handler's: the connection was lost, two
/// transactions were in each other's way. Each time in a fresh transaction, after a short wait, and a few times only;
/// then it is a failure like any other.
class database_resilience {
public:
    static constexpr std::string_view key = "database_resilience";

    database_resilience(ferry::store& store, int retries, clock now, bus_counters& counters) noexcept
        : store_{&store}, retries_{retries}, now_{now}, counters_{&counters} {}
    /// None for a bus without a store, or one that leaves such failures to its policies.
    [[nodiscard]] static std::optional<database_resilience> from(const stage_ports& ports);
    void operator()(consume_context& message, next<consume_context> next) const;

private:
    ferry::store* store_;
    int retries_;
    clock now_;
    bus_counters* counters_;
};

} // namespace ferry::middleware
