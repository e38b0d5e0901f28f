#include "append_in.hpp"
#include "engine.hpp"
#include "schema.hpp"

#include <ferry/postgres/store.hpp>

#include <pqxx/transaction_base>

#include <algorithm>
#include <utility>

namespace ferry::postgres {

struct store::settings {
    store_options options;
    postgres::names names;
    target server;
};

namespace {

void check(const store_options& options) {
    if (options.max_connections == std::size_t{0}) {
        throw error{"a store without connections can do nothing; let max_connections be at least 1"};
    }
    if (options.connect_timeout <= duration::zero() || options.connection_wait < duration::zero()) {
        throw error{"a connect_timeout is longer than 0, and a connection_wait not shorter"};
    }
    if (options.statement_timeout.value_or(duration::zero()) < duration::zero() ||
        options.lock_timeout.value_or(duration::zero()) < duration::zero()) {
        throw error{"a statement_timeout and a lock_timeout cannot be negative; leave them out for the server's own"};
    }
}

parameters filter(const dead_filter& which) {
    return parameters{}
        .add(which.number ? std::max<std::int64_t>(*which.number, 0) : -1) // no row has number 0
        .add(std::string_view{which.destination})
        .add(std::string_view{which.message_type})
        .add(std::string_view{which.tenant})
        .add(static_cast<std::int64_t>(which.most));
}

dead_message dead_message_in(const result& rows, int row) {
    return {.number = rows.number(row, 0),
            .id = rows.id(row, 1),
            .destination = std::string{rows.bytes(row, 2)},
            .message_type = std::string{rows.bytes(row, 3)},
            .tenant = std::string{rows.bytes(row, 4)},
            .attempts = static_cast<int>(rows.number(row, 5)),
            .error = std::string{rows.bytes(row, 6)},
            .created_at = moment(rows.number(row, 7)),
            .content = packed_envelope::from_bytes(rows.bytes(row, 8))};
}

pqxx::transaction_base& transaction_of_libpqxx(const native_transaction& transaction) {
    if (transaction.object == nullptr || transaction.type == nullptr ||
        *transaction.type != typeid(pqxx::transaction_base*)) {
        throw store_error{"the PostgreSQL store writes into transactions of libpqxx, and this is none"};
    }
    return *static_cast<pqxx::transaction_base*>(transaction.object);
}

parameters moment_and_most(time_point when, std::size_t most) {
    return parameters{}.add(when).add(static_cast<std::int64_t>(most));
}

} // namespace

store::store(std::string_view url, store_options options) {
    check(options);
    names names{options.schema, options.table_prefix};
    target server{url, options.connect_timeout};
    settings_ = std::make_unique<settings>(std::move(options), std::move(names), std::move(server));
}

store::store(store&& other) noexcept = default;
store& store::operator=(store&& other) noexcept = default;
store::~store() { stop(); }

void store::start(const store_host& host) {
    if (engine_) {
        throw error{"the PostgreSQL store is started already"};
    }
    if (settings_->options.ensure_schema) {
        ensure_schema();
    }
    engine_ = std::make_unique<engine>(settings_->server, settings_->options, settings_->names, host);
}

void store::stop() noexcept { engine_.reset(); }

void store::ensure_schema() { postgres::ensure_schema(settings_->names, settings_->server); }

engine& store::running() const {
    if (!engine_) {
        throw error{"the PostgreSQL store is not started"};
    }
    return *engine_;
}

std::unique_ptr<unit_of_work> store::work() { return running().work(); }

bool store::is_transient(const std::exception_ptr& failure) const noexcept {
    try {
        std::rethrow_exception(failure);
    } catch (const std::exception& problem) {
        return postgres::is_transient(problem);
    } catch (...) {
        return false;
    }
}

void store::append_in(const native_transaction& transaction, std::span<const stored_message> outgoing,
                      std::span<const stored_message> scheduled) {
    postgres::append_in(transaction_of_libpqxx(transaction), settings_->names, outgoing, scheduled);
}

bool store::cancel_in(const native_transaction& transaction, const uuid& message) {
    return postgres::cancel_in(transaction_of_libpqxx(transaction), settings_->names, message);
}

std::unique_ptr<outbox_batch> store::take(std::size_t most, time_point now, std::int64_t after) {
    return running().take(most, now, after);
}

std::unique_ptr<outbox_batch> store::take_shard(int shard, std::size_t most, time_point now) {
    return running().take_shard(shard, most, now);
}

void store::finish(std::span<const row_outcome> outcomes) { running().finish(outcomes); }

std::vector<int> store::shards_due(time_point now) {
    const result rows =
        running().run(running().sql().shards_due, parameters{}.add(now).add(static_cast<std::int32_t>(outbox_shards)),
                      "look for shards with rows");
    std::vector<int> shards;
    for (int row = 0; row < rows.rows(); ++row) {
        shards.push_back(static_cast<int>(rows.number(row, 0)));
    }
    return shards;
}

std::optional<time_point> store::next_due() {
    const result row = running().run(running().sql().next_due, {}, "look for the next row that is due");
    return row.is_null(0, 0) ? std::nullopt : std::optional{moment(row.number(0, 0))};
}

std::size_t store::promote_due(std::size_t most, time_point now) {
    return running()
        .run(running().sql().promote, moment_and_most(now, most), "move due messages from the schedule to the outbox")
        .affected();
}

bool store::cancel(const uuid& message) {
    return running()
               .run(running().sql().cancel, parameters{}.add(message), "take a message off the schedule")
               .affected() > 0;
}

store_counts store::count() {
    const result row = running().run(running().sql().count, {}, "count rows");
    return {.pending = static_cast<std::uint64_t>(row.number(0, 0)),
            .dead = static_cast<std::uint64_t>(row.number(0, 1)),
            .scheduled = static_cast<std::uint64_t>(row.number(0, 3)),
            .oldest = row.is_null(0, 2) ? std::nullopt : std::optional{moment(row.number(0, 2))}};
}

std::vector<dead_message> store::dead(const dead_filter& which) {
    const result rows = running().run(running().sql().dead, filter(which), "look for dead rows");
    std::vector<dead_message> found;
    for (int row = 0; row < rows.rows(); ++row) {
        found.push_back(dead_message_in(rows, row));
    }
    return found;
}

std::size_t store::replay(const dead_filter& which, time_point now) {
    return running().run(running().sql().replay, filter(which).add(now), "replay dead rows").affected();
}

std::size_t store::forget_claims(time_point before, std::size_t most) {
    return running().run(running().sql().forget_claims, moment_and_most(before, most), "forget old claims").affected();
}

std::size_t store::forget_dead(time_point before, std::size_t most) {
    return running().run(running().sql().forget_dead, moment_and_most(before, most), "forget old dead rows").affected();
}

} // namespace ferry::postgres
