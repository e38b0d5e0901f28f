#include "batch.hpp"

namespace ferry::sqlite {

namespace {

void settle_one(connection& writer, const database& where, const row_outcome& outcome) {
    switch (outcome.fate) {
    case row_fate::sent:
        writer.prepared(where.sql("delete from ferry_outbox where number = ?")).with(outcome.number).run();
        break;
    case row_fate::failed:
        writer
            .prepared(where.sql("update ferry_outbox set attempts = attempts + 1, last_error = ?, due = ? where number "
                                "= ? and dead = 0"))
            .with(std::string_view{outcome.error}, outcome.next_attempt, outcome.number)
            .run();
        break;
    case row_fate::dead:
        writer
            .prepared(where.sql("update ferry_outbox set attempts = attempts + 1, last_error = ?, dead = 1 where "
                                "number = ? and dead = 0"))
            .with(std::string_view{outcome.error}, outcome.number)
            .run();
        break;
    case row_fate::postponed:
        writer.prepared(where.sql("update ferry_outbox set due = ? where number = ? and dead = 0"))
            .with(outcome.next_attempt, outcome.number)
            .run();
        break;
    case row_fate::kept:
        break;
    }
}

} // namespace

void settle(database& where, std::span<const row_outcome> outcomes) {
    if (outcomes.empty()) {
        return;
    }
    writing transaction = where.write();
    for (const row_outcome& each : outcomes) {
        settle_one(*transaction, where, each);
    }
    transaction.commit();
}

// Rows are free when the change is committed and not before: whoever looks from then on does not see them any more.
void batch::finish(std::span<const row_outcome> outcomes) {
    settle(database_, outcomes);
    let_go();
}

void batch::let_go() noexcept {
    if (!std::exchange(held_, false)) {
        return;
    }
    database_.with_hand([this](in_hand& hand) {
        for (const outbox_row& each : rows_) {
            hand.rows.erase(each.number);
        }
        if (shard_) {
            hand.shards.erase(*shard_);
        }
    });
}

} // namespace ferry::sqlite
