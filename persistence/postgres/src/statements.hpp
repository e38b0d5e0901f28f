#pragma once

#include "names.hpp"

#include <string>
#include <string_view>

namespace ferry::postgres {

/// A statement that each connection prepares when it first needs it.
struct statement {
    const char* name;
    std::string sql;
};

/// How ferry's own connections differ from those of handlers. Indexes are always used, by plans of the moment: those a
/// connection keeps are made while the tables are empty, when reading them whole looks best, and would still be used
/// when a million rows are in them. And commits do not wait for the disk: after a crash of the server rows may be sent
/// once more.
inline constexpr std::string_view settings_of_its_own =
    "set enable_seqscan = off; set enable_bitmapscan = off; set enable_hashjoin = off; set enable_mergejoin = off;"
    " set plan_cache_mode = force_custom_plan; set jit = off; set synchronous_commit = off;";

/// Everything ferry says to the database, in the names of one store.
struct statements {
    explicit statements(const names& names);

    statement begin;     ///< of handlers: in the isolation the database has by default
    statement begin_own; ///< of ferry's own transactions: statements see what others committed before them
    /// In this transaction: those for `take`, `remove` and `mark` are right however many rows there are, and planning
    /// costs as much as taking a hundred rows.
    statement keep_plans;
    statement wait_for_disk; ///< at the end of this transaction, as others do
    statement read_whole;    ///< tables may be, in this transaction
    statement commit;
    statement claim;      ///< (messages, consumers, now): what was new
    statement append;     ///< (columns of stored messages): numbers
    statement schedule;   ///< (columns of stored messages)
    statement take;       ///< (now, after, most): rows
    statement shards_due; ///< (now, shards): shards
    statement lock_shard; ///< (key, shard): whether it is ours
    statement take_shard; ///< (now, shard, most): rows
    statement remove;     ///< (numbers)
    statement mark;       ///< (numbers, attempts, states, next attempts, errors)
    /// The same for rows one has not locked; those others have are passed over.
    statement remove_free;
    statement mark_free;
    statement next_due;
    statement promote; ///< (now, most)
    statement cancel;  ///< (message)
    statement count;
    statement dead;          ///< (filter, most)
    statement replay;        ///< (filter, most, now)
    statement forget_claims; ///< (before, most)
    statement forget_dead;   ///< (before, most)
};

} // namespace ferry::postgres
