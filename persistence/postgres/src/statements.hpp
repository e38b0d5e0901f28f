#pragma once

#include "names.hpp"

#include <string>

namespace ferry::postgres {

/// A statement that each connection prepares when it first needs it.
struct statement {
    const char* name;
    std::string sql;
};

/// Everything ferry says to the database, in the names of one store.
struct statements {
    explicit statements(const names& names);

    statement begin;       ///< of handlers: in the isolation the database has by default
    statement begin_own;   ///< of ferry's own transactions: statements see what others committed before them
    statement use_indexes; ///< in the transaction that follows
    /// The same, and the commit does not wait for the disk: after a crash of the server rows may be sent once more.
    statement relay_settings;
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
