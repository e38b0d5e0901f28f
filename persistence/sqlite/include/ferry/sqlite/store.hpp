#pragma once

#include <ferry/sqlite/options.hpp>
#include <ferry/store.hpp>

#include <memory>
#include <string>
#include <string_view>

struct sqlite3;

namespace ferry::sqlite {

class database;
struct settings;

/// Keeps outbox, inbox and schedule in a file, for one process at a time. Handlers write to the same file, through the
/// connection their transaction is on.
class store final : public ferry::store {
public:
    /// `path` is a file, which is created when it is not there, or ":memory:" for tests that need none. Throws
    /// ferry::error when an option cannot work.
    explicit store(std::string path, store_options options = {});
    store(store&& other) noexcept;
    store& operator=(store&& other) noexcept;
    ~store() override;

    [[nodiscard]] std::string_view name() const noexcept override { return "sqlite"; }
    void start(const store_host& host) override;
    void stop() noexcept override;
    void ensure_schema() override;

    [[nodiscard]] std::unique_ptr<unit_of_work> work() override;
    [[nodiscard]] bool is_transient(const std::exception_ptr& failure) const noexcept override;
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
    [[nodiscard]] database& running() const;

    std::unique_ptr<settings> settings_;
    std::unique_ptr<database> database_; // of a store in memory also before the start, once it has tables
    bool started_ = false;
};

} // namespace ferry::sqlite

/// An application's own transaction is its connection, between BEGIN and COMMIT. SQLite never says what a sqlite3 is
/// made of, and only a pointer to such a type has a name at run time.
template <> struct ferry::native_transaction_of<sqlite3> {
    [[nodiscard]] static const std::type_info& type() noexcept { return typeid(sqlite3*); }
    [[nodiscard]] static native_transaction of(sqlite3& connection) noexcept { return {&connection, &type()}; }
};
