#pragma once

#include <ferry/consume_context.hpp>
#include <ferry/pipeline.hpp>
#include <ferry/pipeline_defaults.hpp>
#include <ferry/store.hpp>

#include <optional>
#include <string_view>

namespace ferry::middleware {

/// Runs an attempt in a transaction of the bus's store: what the handler writes, the claim of the inbox and what the
/// handler has published are committed together when it has returned, and rolled back when it throws. In a group the
/// transaction is the group's, and so is the commit.
class transaction {
public:
    static constexpr std::string_view key = "transaction";

    transaction(ferry::store& store, outbox_writer& outbox) noexcept : store_{&store}, outbox_{&outbox} {}
    /// None for a bus without a store.
    [[nodiscard]] static std::optional<transaction> from(const stage_ports& ports);
    void operator()(consume_context& message, next<consume_context> next) const;

private:
    void run_in(unit_of_work& work, consume_context& message, next<consume_context> next) const;

    ferry::store* store_;
    outbox_writer* outbox_;
};

} // namespace ferry::middleware
