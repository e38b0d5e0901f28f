#include "outbox.hpp"

#include "rows.hpp"

#include <unordered_set>
#include <utility>

namespace ferry::sqlite::outbox {

namespace {

std::string select_rows(const database& from, std::string_view which) {
    return from.sql("select " + std::string{outbox_columns} + " from ferry_outbox where dead = 0 and " +
                    std::string{which} + " order by number");
}

constexpr std::string_view rows_of_a_shard = "shard is not null and shard = ?";

std::int64_t limit(std::size_t most) { return static_cast<std::int64_t>(most); }

/// Rows until they are enough, or as large as a batch may be.
class rows_that_fit {
public:
    explicit rows_that_fit(std::size_t most) noexcept : most_{most} {}

    [[nodiscard]] bool has_room() const noexcept { return rows_.size() < most_ && bytes_ < outbox_batch_bytes; }
    void add(outbox_row row) {
        bytes_ += row.content.bytes().size();
        rows_.push_back(std::move(row));
    }
    [[nodiscard]] std::vector<outbox_row> rows() && { return std::move(rows_); }

private:
    std::size_t most_;
    std::size_t bytes_ = 0;
    std::vector<outbox_row> rows_;
};

// The order of a partition key holds by passing over everything behind a row that has to wait.
std::vector<outbox_row> due_in_order(query& rows, std::size_t most, time_point now) {
    rows_that_fit due{most};
    std::unordered_set<std::string> waiting;
    while (due.has_room() && rows.next()) {
        if (rows.moment(1) > now) {
            waiting.emplace(rows.text(2));
        } else if (waiting.empty() || !waiting.contains(std::string{rows.text(2)})) {
            due.add(outbox_row_of(rows));
        }
    }
    return std::move(due).rows();
}

constexpr std::string_view dead_rows_that_match =
    "dead = 1 and (?1 is null or number = ?1) and (?2 = '' or destination = ?2) and (?3 = '' or message_type = ?3) "
    "and (?4 = '' or tenant = ?4) order by number limit ?5";

query& match(query& statement, const dead_filter& which) {
    return statement.with(which.number, std::string_view{which.destination}, std::string_view{which.message_type},
                          std::string_view{which.tenant}, limit(which.most));
}

} // namespace

// A row's being in hand is looked at after the snapshot was begun, and taken back only after the row's deletion was
// committed. So a row cannot be seen here that somebody has just sent.
std::unique_ptr<batch> take(database& from, std::size_t most, time_point now, std::int64_t after) {
    const reading connection = from.read();
    return from.with_hand([&](in_hand& hand) {
        query rows = connection->prepared(select_rows(from, "shard is null and number > ? and due <= ?"));
        rows.with(after, now);
        rows_that_fit found{most};
        while (found.has_room() && rows.next()) {
            if (!hand.rows.contains(rows.integer(0))) {
                found.add(outbox_row_of(rows));
            }
        }
        std::vector<outbox_row> taken = std::move(found).rows();
        for (const outbox_row& each : taken) { // after all were read, which may fail
            hand.rows.insert(each.number);
        }
        return std::make_unique<batch>(from, std::move(taken), std::nullopt);
    });
}

std::unique_ptr<batch> take_shard(database& from, int shard, std::size_t most, time_point now) {
    const reading connection = from.read();
    return from.with_hand([&](in_hand& hand) -> std::unique_ptr<batch> {
        if (hand.shards.contains(shard)) {
            return nullptr;
        }
        query rows = connection->prepared(select_rows(from, rows_of_a_shard));
        rows.with(std::int64_t{shard});
        auto taken = std::make_unique<batch>(from, due_in_order(rows, most, now), shard);
        hand.shards.insert(shard);
        return taken;
    });
}

// The first rows of a shard nearly always tell; one question for all shards would look at every row.
std::vector<int> shards_due(database& from, time_point now) {
    const reading connection = from.read();
    query rows = connection->prepared(select_rows(from, rows_of_a_shard));
    std::vector<int> due;
    for (int shard = 0; shard < outbox_shards; ++shard) {
        if (!due_in_order(rows.with(std::int64_t{shard}), 1, now).empty()) {
            due.push_back(shard);
        }
        rows.reset();
    }
    return due;
}

store_counts count(database& from) {
    const reading connection = from.read();
    query numbers = connection->prepared(from.sql(
        "select (select count(*) from ferry_outbox where shard is null and dead = 0) + (select count(*) from "
        "ferry_outbox where shard is not null and dead = 0), (select count(*) from ferry_outbox where dead = 1), "
        "(select count(*) from ferry_schedule), (select created_at from ferry_outbox where dead = 0 order by number "
        "limit 1)"));
    numbers.next();
    store_counts counts{.pending = static_cast<std::uint64_t>(numbers.integer(0)),
                        .dead = static_cast<std::uint64_t>(numbers.integer(1)),
                        .scheduled = static_cast<std::uint64_t>(numbers.integer(2)),
                        .oldest = {}};
    if (numbers.optional_integer(3)) {
        counts.oldest = numbers.moment(3);
    }
    return counts;
}

std::vector<dead_message> dead(database& from, const dead_filter& which) {
    const reading connection = from.read();
    query rows = connection->prepared(from.sql("select " + std::string{dead_columns} + " from ferry_outbox where " +
                                               std::string{dead_rows_that_match}));
    match(rows, which);
    std::vector<dead_message> found;
    while (rows.next()) {
        found.push_back(dead_message_of(rows));
    }
    return found;
}

std::size_t replay(database& in, const dead_filter& which, time_point now) {
    writing transaction = in.write();
    query rows = transaction->prepared(in.sql("update ferry_outbox set dead = 0, attempts = 0, due = ?6 where number "
                                              "in (select number from ferry_outbox where " +
                                              std::string{dead_rows_that_match} + ")"));
    match(rows, which).with(now).run();
    const std::size_t replayed = transaction->changes();
    transaction.commit();
    return replayed;
}

std::size_t forget_dead(database& in, time_point before, std::size_t most) {
    writing transaction = in.write();
    transaction
        ->prepared(in.sql("delete from ferry_outbox where number in (select number from ferry_outbox where dead = 1 "
                          "and created_at < ? limit ?)"))
        .with(before, limit(most))
        .run();
    const std::size_t forgotten = transaction->changes();
    transaction.commit();
    return forgotten;
}

} // namespace ferry::sqlite::outbox
