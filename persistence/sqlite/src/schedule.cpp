#include "schedule.hpp"

#include <sqlite3.h>

namespace ferry::sqlite {

namespace {

constexpr std::string_view delete_by_id = "delete from ferry_schedule where id = ?";
constexpr std::string_view due_now = "from ferry_schedule where due <= ?1 order by due, number limit ?2";

} // namespace

// A row is as old as its place in the outbox: one that waited a week on the schedule is not a week late.
std::size_t promote_due(database& in, std::size_t most, time_point now) {
    const auto limit = static_cast<std::int64_t>(most);
    writing transaction = in.write();
    transaction
        ->prepared(in.sql("insert into ferry_outbox (id, destination, message_type, partition_key, shard, tenant, "
                          "content, due, created_at) select id, destination, message_type, partition_key, shard, "
                          "tenant, content, 0, ?1 " +
                          std::string{due_now}))
        .with(now, limit)
        .run();
    const std::size_t promoted = transaction->changes();
    transaction
        ->prepared(in.sql("delete from ferry_schedule where number in (select number " + std::string{due_now} + ")"))
        .with(now, limit)
        .run();
    transaction.commit();
    return promoted;
}

bool cancel(database& in, const uuid& message) {
    writing transaction = in.write();
    const bool was_there = take_off_schedule(*transaction, in, message);
    transaction.commit();
    return was_there;
}

bool take_off_schedule(connection& writer, const database& in, const uuid& message) {
    writer.prepared(in.sql(std::string{delete_by_id})).with(message).run();
    return writer.changes() > 0;
}

bool take_off_schedule(sqlite3* writer, const database& in, const uuid& message) {
    const statement_ptr statement = prepare(writer, in.sql(std::string{delete_by_id}), false);
    query{statement.get()}.with(message).run();
    return sqlite3_changes(writer) > 0;
}

// Rows with a partition key wait for the head of their key, whenever they are due themselves.
std::optional<time_point> next_due(database& from) {
    const reading connection = from.read();
    query moment = connection->prepared(from.sql(
        "select min(due) from (select min(due) as due from ferry_outbox where shard is null and dead = 0 union all "
        "select min(due) from ferry_outbox where number in (select min(number) from ferry_outbox where shard is not "
        "null and dead = 0 group by partition_key) union all select min(due) from ferry_schedule)"));
    if (!moment.next() || !moment.optional_integer(0)) {
        return std::nullopt;
    }
    return moment.moment(0);
}

} // namespace ferry::sqlite
