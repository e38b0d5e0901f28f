#pragma once

#include "database.hpp"

#include <ferry/store.hpp>

#include <optional>
#include <vector>

namespace ferry::sqlite {

/// Deletes and marks rows of the outbox.
void settle(database& where, std::span<const row_outcome> outcomes);

/// Rows, and perhaps a shard, that are in this one's hands until it goes.
class batch final : public outbox_batch {
public:
    /// The rows and the shard are marked as in hand already.
    batch(database& where, std::vector<outbox_row> rows, std::optional<int> shard) noexcept
        : database_{where}, rows_{std::move(rows)}, shard_{shard} {}
    batch(const batch&) = delete;
    batch& operator=(const batch&) = delete;
    ~batch() override { let_go(); }

    [[nodiscard]] std::span<const outbox_row> rows() const noexcept override { return rows_; }
    void finish(std::span<const row_outcome> outcomes) override;

private:
    void let_go() noexcept;

    database& database_;
    std::vector<outbox_row> rows_;
    std::optional<int> shard_;
    bool held_ = true;
};

} // namespace ferry::sqlite
