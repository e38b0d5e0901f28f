#include "statements.hpp"

#include <ferry/store.hpp>

#include <format>
#include <string_view>

namespace ferry::postgres {

namespace {

// A row that was due when it was written is due for everybody, however clocks differ; others wait for their moment.
// That leaves the indexes of waiting rows empty in ordinary times, and what is written costs nothing there.
constexpr std::string_view is_due = "(o.next_attempt_at <= o.created_at or o.next_attempt_at <= $1)";

// Rows of the same partition key that were written earlier and are to be sent later: the others wait for them. The
// offset keeps it a question about one row; as a join it would be planned by guesses about how many rows wait.
std::string blocker(std::string_view and_is) {
    return "exists (select from ferry.outbox b where b.state = 0 and b.shard is not null"
           " and b.next_attempt_at > b.created_at and b.partition_key = o.partition_key and b.number < o.number" +
           std::string{and_is} + " offset 0)";
}

std::string is_open() { return std::format("{} and not {}", is_due, blocker(" and b.next_attempt_at > $1")); }

constexpr std::string_view row_columns = "o.number, o.content, o.partition_key, o.attempts, o.created_at";

std::string insert_stored_messages(std::string_view table, std::string_view due) {
    const std::string columns =
        "id, destination, message_type, partition_key, shard, tenant, content, created_at, " + std::string{due};
    return "insert into " + std::string{table} + " (" + columns + ") select " + columns +
           " from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::int2[], $6::text[], $7::bytea[],"
           " $8::int8[], $9::int8[]) with ordinality as m (" +
           columns + ", place) order by place";
}

// Rows in the order they have, as long as they fit; behind that their content is not even read. All are locked.
std::string as_many_as_fit(const std::string& rows) {
    return std::format(
        "select o.number, case when coalesce(sum(length(o.content)) over (rows between unbounded preceding"
        " and 1 preceding), 0) < {} then o.content end, o.partition_key, o.attempts, o.created_at"
        " from ({}) o",
        outbox_batch_bytes, rows);
}

// What has failed before may have been waiting for hours: its index is looked at first, which is empty in ordinary
// times, and gets half a batch at most, so that neither kind waits for all of the other.
std::string take() {
    const std::string columns{row_columns};
    return "with late as (select " + columns +
           " from ferry.outbox o where o.state = 0 and o.shard is null and o.next_attempt_at > o.created_at"
           " and o.next_attempt_at <= $1 order by o.next_attempt_at limit ($3::int8 + 1) / 2 for update skip locked) " +
           as_many_as_fit("select * from late union all select * from (select " + columns +
                          " from ferry.outbox o where o.state = 0 and o.shard is null"
                          " and o.next_attempt_at <= o.created_at and o.number > $2 order by o.number"
                          " limit $3::int8 - (select count(*) from late) for update skip locked) fresh");
}

std::string take_shard() {
    return as_many_as_fit("select " + std::string{row_columns} +
                          " from ferry.outbox o where current_setting('ferry_relay.shard_is_ours') = 'true'"
                          " and o.state = 0 and o.shard = $2::int2 and " +
                          is_open() + " order by o.number limit $3 for update of o");
}

// Once: a subselect that locks rows must not be asked again for each row of the outer statement.
std::string rows_of(std::string_view table, std::string_view condition) {
    return "ctid = any (array (select ctid from " + std::string{table} + " " + std::string{condition} +
           " for update skip locked))";
}

constexpr std::string_view dead_and_wanted =
    "where state = 1 and ($1::int8 < 0 or number = $1) and ($2::text = '' or destination = $2)"
    " and ($3::text = '' or message_type = $3) and ($4::text = '' or tenant = $4) order by number limit $5";

std::string next_due() {
    return "select least("
           "(select next_attempt_at from ferry.outbox where state = 0 and shard is null"
           " and next_attempt_at <= created_at order by number limit 1), "
           "(select o.next_attempt_at from ferry.outbox o where o.state = 0 and o.shard is not null"
           " and o.next_attempt_at <= o.created_at and not " +
           blocker("") +
           " order by o.shard, o.number limit 1), "
           "(select o.next_attempt_at from ferry.outbox o where o.state = 0 and o.next_attempt_at > o.created_at"
           " and not " +
           blocker("") +
           " order by o.next_attempt_at limit 1), "
           "(select due_at from ferry.schedule order by due_at, number limit 1))";
}

// The age of a row counts from its move: waiting on the schedule is not being stuck in the outbox.
std::string promote() {
    const std::string columns = "id, destination, message_type, partition_key, shard, tenant, content";
    return "with due as (delete from ferry.schedule where " +
           rows_of("ferry.schedule", "where due_at <= $1 order by due_at, number limit $2") +
           " returning *) insert into ferry.outbox (" + columns + ", created_at, next_attempt_at) select " + columns +
           ", $1, due_at from due order by due_at, number";
}

// Of rows that were sent from memory. What another relay has locked by now is that relay's: to wait for it could be to
// wait for oneself.
std::string free_rows() { return rows_of("ferry.outbox", "where number = any ($1::int8[])"); }

// What waits is younger than its next attempt, or it would count as due for everybody: its writer's clock may be ahead.
std::string mark() {
    return "update ferry.outbox o set attempts = o.attempts + m.attempts, state = m.state,"
           " last_error = coalesce(m.error, o.last_error),"
           " next_attempt_at = case m.state when 0 then m.next_attempt_at else o.next_attempt_at end,"
           " created_at = case m.state when 0 then least(o.created_at, m.next_attempt_at - 1) else o.created_at end"
           " from unnest($1::int8[], $2::int2[], $3::int2[], $4::int8[], $5::text[])"
           " as m (number, attempts, state, next_attempt_at, error) where o.number = m.number and o.state = 0";
}

} // namespace

statements::statements(const names& names)
    : begin{"ferry_begin", "begin"},
      begin_own{"ferry_begin_own", "begin isolation level read committed"},
      keep_plans{"ferry_keep_plans", "set local plan_cache_mode to force_generic_plan"},
      wait_for_disk{"ferry_wait_for_disk", "set local synchronous_commit to default"},
      read_whole{"ferry_read_whole", "set local enable_seqscan to default"},
      commit{"ferry_commit", "commit"},
      claim{"ferry_claim", names.translated("insert into ferry.inbox (message_id, consumer, claimed_at)"
                                            " select message, consumer, $3 from unnest($1::uuid[], $2::text[])"
                                            " with ordinality as c (message, consumer, place) order by place"
                                            " on conflict do nothing returning message_id, consumer")},
      append{"ferry_append",
             names.translated(insert_stored_messages("ferry.outbox", "next_attempt_at") + " returning number")},
      schedule{"ferry_schedule", names.translated(insert_stored_messages("ferry.schedule", "due_at"))},
      take{"ferry_take", names.translated(postgres::take())},
      shards_due{"ferry_shards_due",
                 names.translated("select s::int2 from generate_series(0, $2::int4 - 1) s where exists"
                                  " (select from ferry.outbox o where o.state = 0 and o.shard = s and " +
                                  is_open() + ")")},
      // The rows are read by a later statement, which sees what the shard's last relay did to them.
      lock_shard{
          "ferry_lock_shard",
          "select set_config('ferry_relay.shard_is_ours', pg_try_advisory_xact_lock($1::int4, $2::int4)::text, true)"
          " = 'true'"},
      take_shard{"ferry_take_shard", names.translated(postgres::take_shard())},
      remove{"ferry_remove", names.translated("delete from ferry.outbox where number = any ($1::int8[])")},
      mark{"ferry_mark", names.translated(postgres::mark())},
      remove_free{"ferry_remove_free", names.translated("delete from ferry.outbox where " + free_rows())},
      mark_free{"ferry_mark_free", names.translated(postgres::mark() + " and o." + free_rows())},
      next_due{"ferry_next_due", names.translated(postgres::next_due())},
      promote{"ferry_promote", names.translated(postgres::promote())},
      cancel{"ferry_cancel", names.translated("delete from ferry.schedule where id = $1")},
      count{"ferry_count",
            names.translated("select count(*) filter (where state = 0), count(*) filter (where state = 1),"
                             " min(created_at) filter (where state = 0), (select count(*) from ferry.schedule)"
                             " from ferry.outbox")},
      dead{"ferry_dead",
           names.translated("select number, id, destination, message_type, tenant, attempts, coalesce(last_error, ''),"
                            " created_at, content from ferry.outbox " +
                            std::string{dead_and_wanted})},
      replay{"ferry_replay", names.translated("update ferry.outbox set state = 0, attempts = 0, next_attempt_at = $6"
                                              " where " +
                                              rows_of("ferry.outbox", dead_and_wanted))},
      forget_claims{"ferry_forget_claims",
                    names.translated("delete from ferry.inbox where " +
                                     rows_of("ferry.inbox", "where claimed_at < $1 order by claimed_at limit $2"))},
      forget_dead{
          "ferry_forget_dead",
          names.translated("delete from ferry.outbox where " +
                           rows_of("ferry.outbox", "where state = 1 and created_at < $1 order by number limit $2"))} {}

} // namespace ferry::postgres
