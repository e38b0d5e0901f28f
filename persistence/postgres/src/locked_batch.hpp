#pragma once

#include "pool.hpp"
#include "result.hpp"
#include "statements.hpp"

#include <ferry/store.hpp>

#include <span>
#include <vector>

namespace ferry::postgres {

class flight;

/// What deletes and marks rows: those of a batch, or any that are free.
struct finishing {
    const statement& remove;
    const statement& mark;
};
void add_outcomes(flight& flight, const finishing& by, std::span<const row_outcome> outcomes);

/// Rows that are locked by a transaction which stays open as long as the batch.
class locked_batch final : public outbox_batch {
public:
    locked_batch(pool::lease connection, const statements& sql, const result& rows);

    [[nodiscard]] std::span<const outbox_row> rows() const noexcept override { return rows_; }
    void finish(std::span<const row_outcome> outcomes) override;

private:
    pool::lease connection_;
    const statements& sql_;
    std::vector<outbox_row> rows_;
};

} // namespace ferry::postgres
