#include "database.hpp"
#include "errors.hpp"
#include "outbox.hpp"
#include "rows.hpp"
#include "schedule.hpp"
#include "schema.hpp"
#include "work.hpp"

#include <ferry/sqlite/store.hpp>

#include <sqlite3.h>

namespace ferry::sqlite {

namespace {

void insert_all(sqlite3* connection, const std::string& sql, std::span<const stored_message> messages) {
    if (messages.empty()) {
        return;
    }
    const statement_ptr statement = prepare(connection, sql, false);
    query rows{statement.get()};
    for (const stored_message& each : messages) {
        insert(rows, each);
    }
}

sqlite3* connection_of(const native_transaction& transaction, const database& ours) {
    if (transaction.type == nullptr || *transaction.type != native_transaction_of<sqlite3>::type()) {
        throw store_error{"an SQLite store writes in transactions of a sqlite3 connection, and was given another kind"};
    }
    auto* const connection = static_cast<sqlite3*>(transaction.object);
    if (!ours.is_same_file(connection)) {
        throw store_error{"the connection is not one to \"" + ours.config().path +
                          "\", where the outbox is; messages can only be written in transactions on the same file"};
    }
    if (sqlite3_get_autocommit(connection) != 0) {
        throw store_error{"the connection to \"" + ours.config().path +
                          "\" is not in a transaction; begin one, so that what you write and what you publish are one "
                          "act"};
    }
    return connection;
}

} // namespace

store::store(std::string path, store_options options)
    : settings_{std::make_unique<settings>(checked(std::move(path), std::move(options)))} {}
store::store(store&& other) noexcept = default;
store& store::operator=(store&& other) noexcept = default;
store::~store() = default;

void store::start(const store_host&) {
    if (started_) {
        throw error{"the SQLite store on \"" + settings_->path + "\" is started already"};
    }
    auto opened = database_ ? std::move(database_) : std::make_unique<database>(*settings_);
    if (settings_->options.ensure_schema) {
        opened->ensure_schema();
    }
    opened->check_schema();
    database_ = std::move(opened);
    started_ = true;
}

void store::stop() noexcept {
    database_.reset();
    started_ = false;
}

void store::ensure_schema() {
    if (database_) {
        return database_->ensure_schema();
    }
    if (settings_->in_memory()) {
        auto opened = std::make_unique<database>(*settings_);
        opened->ensure_schema();
        database_ = std::move(opened);
        return;
    }
    connection alone{*settings_}; // whether another process has the file does not matter to its tables
    create_schema(alone, *settings_);
}

std::unique_ptr<unit_of_work> store::work() { return std::make_unique<sqlite::work>(running()); }

bool store::is_transient(const std::exception_ptr& failure) const noexcept {
    try {
        std::rethrow_exception(failure);
    } catch (const store_error& thrown) {
        return thrown.is_transient();
    } catch (...) {
        return false;
    }
}

// All or nothing, also for those who catch what is thrown here and commit all the same.
void store::append_in(const native_transaction& transaction, std::span<const stored_message> outgoing,
                      std::span<const stored_message> scheduled) {
    const database& ours = running();
    sqlite3* const connection = connection_of(transaction, ours);
    execute(connection, "savepoint ferry_append");
    try {
        insert_all(connection, ours.sql(insert_outgoing), outgoing);
        insert_all(connection, ours.sql(insert_scheduled), scheduled);
        execute(connection, "release ferry_append");
    } catch (...) {
        sqlite3_exec(connection, "rollback to ferry_append; release ferry_append", nullptr, nullptr, nullptr);
        throw;
    }
}

bool store::cancel_in(const native_transaction& transaction, const uuid& message) {
    const database& ours = running();
    return take_off_schedule(connection_of(transaction, ours), ours, message);
}

std::unique_ptr<outbox_batch> store::take(std::size_t most, time_point now, std::int64_t after) {
    return outbox::take(running(), most, now, after);
}

std::vector<int> store::shards_due(time_point now) { return outbox::shards_due(running(), now); }

std::unique_ptr<outbox_batch> store::take_shard(int shard, std::size_t most, time_point now) {
    return outbox::take_shard(running(), shard, most, now);
}

void store::finish(std::span<const row_outcome> outcomes) { settle(running(), outcomes); }

std::optional<time_point> store::next_due() { return sqlite::next_due(running()); }

std::size_t store::promote_due(std::size_t most, time_point now) { return sqlite::promote_due(running(), most, now); }

bool store::cancel(const uuid& message) { return sqlite::cancel(running(), message); }

store_counts store::count() { return outbox::count(running()); }

std::vector<dead_message> store::dead(const dead_filter& which) { return outbox::dead(running(), which); }

std::size_t store::replay(const dead_filter& which, time_point now) { return outbox::replay(running(), which, now); }

std::size_t store::forget_claims(time_point before, std::size_t most) {
    writing transaction = running().write();
    transaction
        ->prepared(running().sql("delete from ferry_inbox where (message, consumer) in (select message, consumer from "
                                 "ferry_inbox where claimed_at < ? limit ?)"))
        .with(before, static_cast<std::int64_t>(most))
        .run();
    const std::size_t forgotten = transaction->changes();
    transaction.commit();
    return forgotten;
}

std::size_t store::forget_dead(time_point before, std::size_t most) {
    return outbox::forget_dead(running(), before, most);
}

database& store::running() const {
    if (!started_) {
        throw error{"the SQLite store on \"" + settings_->path + "\" is not started"};
    }
    return *database_;
}

} // namespace ferry::sqlite
