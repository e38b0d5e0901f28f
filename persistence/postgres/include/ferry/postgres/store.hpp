#pragma once

#include <ferry/postgres/errors.hpp>
#include <ferry/postgres/options.hpp>
#include <ferry/store.hpp>

#include <memory>
#include <string_view>

namespace ferry::postgres {

class engine;

/// Keeps outbox, inbox and schedule in PostgreSQL, beside the tables of the application.
///
/// A handler's transaction is at hand as
///   - `pqxx::transaction_base` or `pqxx::dbtransaction`: begins in the same round trip as the inbox's claim and
///   commits
///     in the same as the outbox's rows. Two round trips a message beside the handler's own.
///   - `pqxx::work`: libpqxx insists on sending BEGIN and COMMIT itself, so it costs two more. The first time a
///   consumer
///     asks for one, its BEGIN meets a transaction that ferry has begun, which the server logs as a WARNING and does
///     not mind; from then on that consumer's transactions begin as pqxx::work. References to the transaction that were
///     taken before are of no use afterwards.
/// Either is ferry's to commit: committing it in a handler throws, and so does ferry's commit after a handler's abort.
class store final : public ferry::store {
public:
    /// `url` is what libpq takes: postgresql://user:password@host:port/database?option=value, or "host=... dbname=...".
    /// Throws ferry::error when it cannot be read.
    explicit store(std::string_view url, store_options options = {});
    store(store&& other) noexcept;
    store& operator=(store&& other) noexcept;
    ~store() override;

    [[nodiscard]] std::string_view name() const noexcept override { return "postgres"; }
    void start(const store_host& host) override;
    void stop() noexcept override;
    void ensure_schema() override;

    [[nodiscard]] std::unique_ptr<unit_of_work> work() override;
    [[nodiscard]] bool is_transient(const std::exception_ptr& failure) const noexcept override;
    /// Takes a pqxx::transaction_base; see ferry/postgres/transaction.hpp. What libpqxx throws is passed on.
    void append_in(const native_transaction& transaction, std::span<const stored_message> outgoing,
                   std::span<const stored_message> scheduled) override;
    bool cancel_in(const native_transaction& transaction, const uuid& message) override;

    [[nodiscard]] std::unique_ptr<outbox_batch> take(std::size_t most, time_point now, std::int64_t after) override;
    [[nodiscard]] std::vector<int> shards_due(time_point now) override;
    [[nodiscard]] std::unique_ptr<outbox_batch> take_shard(int shard, std::size_t most, time_point now) override;
    void finish(std::span<const row_outcome> outcomes) override;
    [[nodiscard]] std::optional<time_point> next_due() override;

    std::size_t promote_due(std::size_t most, time_point now) override;
    bool cancel(const uuid& message) override;

    [[nodiscard]] store_counts count() override;
    [[nodiscard]] std::vector<dead_message> dead(const dead_filter& which) override;
    std::size_t replay(const dead_filter& which, time_point now) override;
    std::size_t forget_claims(time_point before, std::size_t most) override;
    std::size_t forget_dead(time_point before, std::size_t most) override;

private:
    struct settings;
    [[nodiscard]] engine& running() const;

    std::unique_ptr<settings> settings_;
    std::unique_ptr<engine> engine_;
};

} // namespace ferry::postgres
