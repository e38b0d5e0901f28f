#pragma once

#include <ferry/envelope.hpp>
#include <ferry/error.hpp>
#include <ferry/log.hpp>
#include <ferry/packed_envelope.hpp>
#include <ferry/time.hpp>
#include <ferry/uuid.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <typeinfo>
#include <utility>
#include <vector>

namespace ferry {

/// A database could not do what was asked of it. Transient when the same again on a fresh connection may succeed: the
/// connection was lost, two transactions were in each other's way.
class store_error : public error {
public:
    using error::error;
};

/// The tables a store needs are not there, or belong to another version of ferry.
class schema_error : public store_error {
public:
    explicit schema_error(const std::string& text) : store_error{text} {}
};

/// A message a consumer is about to handle, and must not have handled before.
struct inbox_claim {
    uuid message;
    std::string_view consumer; ///< unique among the consumers of all services that share the store
};

/// A message as the outbox and the schedule keep it: its bytes, and beside them what people and queries look at.
struct stored_message {
    uuid id = {};
    std::string destination = {}; ///< the text form of an address
    std::string message_type = {};
    std::string partition_key = {};
    std::string tenant = {};
    packed_envelope content = {};
    time_point created_at = {};
    time_point due = {}; ///< not to be sent before

    [[nodiscard]] static stored_message of(const envelope& message, time_point now, time_point due);
};

/// Rows with a partition key belong to one of so many shards, and each shard is sent by one relay at a time.
inline constexpr int outbox_shards = 16;
/// The same for every process and version; none for an empty key.
[[nodiscard]] std::optional<int> shard_of(std::string_view partition_key) noexcept;

/// One transaction: what a handler writes, the claim that it may, and the messages that leave with it. It rolls back
/// when it is destroyed before it was committed. For one thread at a time.
class unit_of_work {
public:
    unit_of_work() = default;
    unit_of_work(const unit_of_work&) = delete;
    unit_of_work& operator=(const unit_of_work&) = delete;
    virtual ~unit_of_work() = default;

    /// Begins the transaction at the database; does nothing when it has begun.
    virtual void begin() = 0;
    /// Begins, if that is still to be done, and records the claims, all in one round trip. `fresh[i]` becomes false
    /// when the consumer has had the message before, or when the same claim stands twice in the list. Waits for a
    /// transaction that has made the same claim and not ended yet. Throws when it cannot tell.
    virtual void claim(std::span<const inbox_claim> claims, time_point now, std::span<bool> fresh) = 0;
    /// Keeps a message for the outbox, in memory until the commit.
    void append(stored_message message) { outgoing_.push_back(std::move(message)); }
    /// Keeps a message for the schedule, in memory until the commit.
    void schedule(stored_message message) { scheduled_.push_back(std::move(message)); }
    /// Forgets a message that was scheduled here, or takes one off the schedule, from the commit on. False when it is
    /// not there (any more).
    bool cancel(const uuid& message);
    /// Writes what was kept and commits, in one round trip. When it throws nothing of the transaction has happened, or,
    /// when the connection broke at that moment, nobody knows. Returns the numbers of the outbox's new rows, in order.
    virtual std::vector<std::int64_t> commit() = 0;

    /// The transaction as the store's own library knows it, for handlers; nullptr when it is of another type. `type` is
    /// that of a pointer to it, since some libraries never define what they point to.
    [[nodiscard]] virtual void* native(const std::type_info& type) = 0;
    /// What `native` can be asked for, for errors: "pqxx::work or pqxx::transaction_base".
    [[nodiscard]] virtual std::string_view native_names() const noexcept = 0;

    [[nodiscard]] const std::vector<stored_message>& outgoing() const noexcept { return outgoing_; }
    /// For whoever knows only at the commit when they are due.
    [[nodiscard]] std::span<stored_message> outgoing() noexcept { return outgoing_; }
    [[nodiscard]] const std::vector<stored_message>& scheduled() const noexcept { return scheduled_; }

private:
    /// Begins, if that is still to be done, and deletes a message of the schedule. False when it is not there.
    virtual bool take_off_schedule(const uuid& message) = 0;

    std::vector<stored_message> outgoing_;
    std::vector<stored_message> scheduled_;
};

/// How many bytes of messages a relay takes at once: the row that goes beyond it is the last one.
inline constexpr std::size_t outbox_batch_bytes = std::size_t{4} * 1024 * 1024;

/// A row of the outbox in the hands of a relay.
struct outbox_row {
    std::int64_t number = 0; ///< in the order of insertion
    packed_envelope content = {};
    std::string partition_key = {};
    int attempts = 0; ///< that have failed
    time_point created_at = {};
};

/// What became of a row: it was `sent` and can go; it `failed` and waits for its next attempt; it is `dead`, and stays
/// until somebody looks; it is `postponed` until the same, without an attempt that counts; or it was `kept` as it is.
enum class row_fate : unsigned char { sent, failed, dead, postponed, kept };

struct row_outcome {
    std::int64_t number = 0;
    row_fate fate = row_fate::sent;
    std::string error = {};       ///< of `failed` and `dead`; of `postponed` for people, and in no row
    time_point next_attempt = {}; ///< of `failed` and `postponed`
};

/// Rows of the outbox that are locked for one relay: others pass over them. Destroyed without `finish` it leaves them
/// as they were.
class outbox_batch {
public:
    outbox_batch() = default;
    outbox_batch(const outbox_batch&) = delete;
    outbox_batch& operator=(const outbox_batch&) = delete;
    virtual ~outbox_batch() = default;

    [[nodiscard]] virtual std::span<const outbox_row> rows() const noexcept = 0;
    /// Deletes, marks and frees the rows, in one round trip. Rows that are not named are kept.
    virtual void finish(std::span<const row_outcome> outcomes) = 0;
};

/// A row that was given up, for people.
struct dead_message {
    std::int64_t number = 0;
    uuid id = {};
    std::string destination = {};
    std::string message_type = {};
    std::string tenant = {};
    int attempts = 0;
    std::string error = {};
    time_point created_at = {};
    packed_envelope content = {}; ///< as it was stored, readable or not
};

/// Which dead rows are meant; what is empty matches all.
struct dead_filter {
    std::optional<std::int64_t> number = {};
    std::string destination = {};
    std::string message_type = {};
    std::string tenant = {};
    std::size_t most = 1000;
};

/// What waits in a store.
struct store_counts {
    std::uint64_t pending = 0;             ///< rows of the outbox that are still to be sent
    std::uint64_t dead = 0;                ///< rows of the outbox that were given up
    std::uint64_t scheduled = 0;           ///< messages that wait for their time
    std::optional<time_point> oldest = {}; ///< when the oldest pending row was written
};

/// A transaction of the application's own, by the type of a pointer to it: `pqxx::transaction_base*` or `sqlite3*`.
struct native_transaction {
    void* object = nullptr;
    const std::type_info* type = nullptr;
};

/// How a transaction of some library is handed to a store. Stores specialise it for what they take:
/// `static native_transaction of(Transaction&)`.
template <typename Transaction> struct native_transaction_of;

/// What a bus lends its store for as long as it runs.
struct store_host {
    std::size_t slots = 1; ///< how many units of work may be open at once
    log_function log = {};
    /// For stores that hear of it: another process has committed rows to the outbox or the schedule. May be empty; any
    /// thread.
    std::function<void()> rows_arrived = {};
};

/// A database that makes writing and publishing one act. Everything a bus asks of it is here; a store that passes the
/// conformance suite in tests/conformance can serve any bus. It knows no clock: whoever calls says what time it is.
///
/// Between `start` and `stop` every function may be called from any thread.
class store {
public:
    store(const store&) = delete;
    store& operator=(const store&) = delete;
    virtual ~store() = default;

    [[nodiscard]] virtual std::string_view name() const noexcept = 0;

    /// Connects, and looks whether the tables are there and of this version. Throws schema_error when they are not.
    virtual void start(const store_host& host) = 0;
    /// Every unit of work and every batch has ended by now.
    virtual void stop() noexcept = 0;
    /// Creates the tables, or brings those of an earlier version up to date. Any number of processes may do so at once.
    /// May be called before `start`.
    virtual void ensure_schema() = 0;

    /// Waits for a free connection, within the store's own limit.
    [[nodiscard]] virtual std::unique_ptr<unit_of_work> work() = 0;
    /// Whether a handler that failed with this may succeed when it runs again on a fresh connection.
    [[nodiscard]] virtual bool is_transient(const std::exception_ptr& failure) const noexcept = 0;

    /// Writes messages in a transaction that is the application's own. Throws when it is none of this store's.
    virtual void append_in(const native_transaction& transaction, std::span<const stored_message> outgoing,
                           std::span<const stored_message> scheduled) = 0;
    /// Takes a message off the schedule in such a transaction. False when it is not there (any more).
    virtual bool cancel_in(const native_transaction& transaction, const uuid& message) = 0;

    /// Locks up to `most` rows without a partition key that are due, as far as they fit into outbox_batch_bytes, in the
    /// order of their numbers, beginning behind `after`. Those that failed before may come first, and may lie before
    /// it. Rows another relay has locked are passed over. Never nullptr; may be empty.
    [[nodiscard]] virtual std::unique_ptr<outbox_batch> take(std::size_t most, time_point now, std::int64_t after) = 0;
    /// The shards that have rows due.
    [[nodiscard]] virtual std::vector<int> shards_due(time_point now) = 0;
    /// Locks the shard and up to `most` of its rows, in the order of their numbers: of each partition key those that
    /// are due, up to the first that is not. nullptr when another relay has the shard.
    [[nodiscard]] virtual std::unique_ptr<outbox_batch> take_shard(int shard, std::size_t most, time_point now) = 0;
    /// The same as `outbox_batch::finish` for rows that nobody has locked, because they were sent right after their
    /// commit. Never waits for a relay that has locked them meanwhile; what becomes of them is then that relay's.
    virtual void finish(std::span<const row_outcome> outcomes) = 0;
    /// When the next row of the outbox or the schedule is due; none when nothing waits.
    [[nodiscard]] virtual std::optional<time_point> next_due() = 0;

    /// Moves up to `most` due messages from the schedule to the outbox, in due order. Returns how many.
    virtual std::size_t promote_due(std::size_t most, time_point now) = 0;
    /// Takes a message off the schedule. False when it is not there (any more).
    virtual bool cancel(const uuid& message) = 0;

    [[nodiscard]] virtual store_counts count() = 0;
    [[nodiscard]] virtual std::vector<dead_message> dead(const dead_filter& which) = 0;
    /// Makes dead rows pending again, with all their attempts before them. Returns how many.
    virtual std::size_t replay(const dead_filter& which, time_point now) = 0;
    /// Deletes up to `most` claims made before a moment. Returns how many.
    virtual std::size_t forget_claims(time_point before, std::size_t most) = 0;
    /// Deletes up to `most` dead rows written before a moment. Returns how many.
    virtual std::size_t forget_dead(time_point before, std::size_t most) = 0;

protected:
    store() = default;
    store(store&&) = default; // a store may be handed over by value until it is started
    store& operator=(store&&) = default;
};

} // namespace ferry
