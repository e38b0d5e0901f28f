#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace shop {

/// What the services have done to each order: the books the demo checks at its end.
class ledger {
public:
    struct entry {
        std::int64_t ordered_cents = 0;
        std::int64_t invoiced_cents = 0;
        int invoices = 0;
        int refusals = 0;
        int shipments = 0;
        int busy = 0;
        int closed = 0;
    };
    struct totals {
        std::size_t orders = 0;
        std::size_t invoices = 0;
        std::size_t refusals = 0;
        std::size_t shipments = 0;
        std::size_t busy = 0;
        std::size_t closed = 0;
        std::int64_t ordered_cents = 0;
        std::int64_t invoiced_cents = 0;
        std::int64_t refused_cents = 0;
    };

    void ordered(const std::string& order_id, std::int64_t cents);
    void invoiced(const std::string& order_id, std::int64_t cents);
    void refused(const std::string& order_id);
    void shipped(const std::string& order_id);
    void bank_was_busy(const std::string& order_id);
    void bank_was_closed(const std::string& order_id);

    [[nodiscard]] totals sum() const;
    /// Waits until every order has ended one way or the other, or until something new happened.
    void wait_for_news(std::chrono::milliseconds longest);
    [[nodiscard]] bool complete() const;
    /// Empty when each order has exactly one invoice of the right amount and one shipment, or exactly one refusal;
    /// otherwise the first order for which that is not so.
    [[nodiscard]] std::string first_error() const;

private:
    template <typename Change> void change(const std::string& order_id, Change change);

    mutable std::mutex mutex_;
    std::condition_variable news_;
    std::map<std::string, entry> entries_;
};

} // namespace shop
