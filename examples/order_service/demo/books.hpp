#pragma once

#include "../shared/database.hpp"
#include "../wiring.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace shop {

/// What the tables of the three services add up to.
struct totals {
    std::int64_t orders = 0;
    std::int64_t ordered_cents = 0;
    std::int64_t settled = 0; ///< shipped or refused, and no reminder waits any more
    std::int64_t refused = 0;
    std::int64_t refused_cents = 0;
    std::int64_t reminders_cancelled = 0;
    std::int64_t express_due = 0; ///< taken while the offer was good
    std::int64_t invoices = 0;
    std::int64_t invoiced_cents = 0;
    std::int64_t shipments = 0;
    std::int64_t express = 0;

    [[nodiscard]] bool is_all_settled() const { return settled == orders && express >= express_due; }
    friend bool operator==(const totals&, const totals&) = default;
};

/// An auditor, who may look into the tables of all three services and belongs to none of them.
class books {
public:
    explicit books(const wiring& at);

    [[nodiscard]] totals sum() const;
    /// What is wrong, one sentence for each order; empty when the books balance: each order has exactly one invoice
    /// over its amount and one shipment, or exactly one dead letter; its parcel's steps came in order; no reminder was
    /// sent after it was cancelled; the express was booked once where it was offered, and never later.
    [[nodiscard]] std::vector<std::string> complaints() const;

private:
    std::unique_ptr<database> orders_;
    std::unique_ptr<database> billing_;
    std::unique_ptr<database> shipping_;
};

} // namespace shop
