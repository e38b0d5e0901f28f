#include "locked_batch.hpp"

#include "flight.hpp"
#include "stored_columns.hpp"

#include <algorithm>
#include <optional>
#include <string>

namespace ferry::postgres {

namespace {

std::vector<const row_outcome*> those_that(std::span<const row_outcome> outcomes, auto&& condition) {
    std::vector<const row_outcome*> found;
    for (const row_outcome& each : outcomes) {
        if (condition(each.fate)) {
            found.push_back(&each);
        }
    }
    std::ranges::sort(found, {}, &row_outcome::number); // everybody locks in this order
    return found;
}

std::int64_t number_of(const row_outcome* outcome) noexcept { return outcome->number; }
std::int16_t attempts_of(const row_outcome* outcome) noexcept { return outcome->fate == row_fate::postponed ? 0 : 1; }
std::int16_t new_state_of(const row_outcome* outcome) noexcept { return outcome->fate == row_fate::dead ? 1 : 0; }
std::optional<std::string> error_of(const row_outcome* outcome) {
    return outcome->fate == row_fate::postponed ? std::nullopt : std::optional{storable_text(outcome->error)};
}

} // namespace

void add_outcomes(flight& flight, const finishing& by, std::span<const row_outcome> outcomes) {
    const auto sent = those_that(outcomes, [](row_fate fate) { return fate == row_fate::sent; });
    const auto stays =
        those_that(outcomes, [](row_fate fate) { return fate != row_fate::sent && fate != row_fate::kept; });
    if (!sent.empty()) {
        flight.add(by.remove, parameters{}.array(element::number, sent, number_of));
    }
    if (!stays.empty()) {
        flight.add(by.mark, parameters{}
                                .array(element::number, stays, number_of)
                                .array(element::small, stays, attempts_of)
                                .array(element::small, stays, new_state_of)
                                .array(element::number, stays, [](const auto* each) { return each->next_attempt; })
                                .array(element::text, stays, error_of));
    }
}

locked_batch::locked_batch(pool::lease connection, const statements& sql, const result& rows)
    : connection_{std::move(connection)}, sql_{sql} {
    rows_.reserve(static_cast<std::size_t>(rows.rows()));
    for (int row = 0; row < rows.rows() && !rows.is_null(row, 1); ++row) { // those behind it did not fit
        rows_.push_back({.number = rows.number(row, 0),
                         .content = packed_envelope::from_bytes(rows.bytes(row, 1)),
                         .partition_key = std::string{rows.bytes(row, 2)},
                         .attempts = static_cast<int>(rows.number(row, 3)),
                         .created_at = moment(rows.number(row, 4))});
    }
    if (rows_.empty()) {
        connection_.reset(); // others may have better use for it
    }
}

void locked_batch::finish(std::span<const row_outcome> outcomes) {
    if (!connection_) {
        return;
    }
    flight flight{*connection_, "finish a batch of the outbox"};
    add_outcomes(flight, {.remove = sql_.remove, .mark = sql_.mark}, outcomes);
    flight.add(sql_.commit).land();
    connection_.reset();
}

} // namespace ferry::postgres
