#pragma once

#include "handler_transaction.hpp"
#include "pool.hpp"
#include "statements.hpp"
#include "work_users.hpp"

#include <ferry/store.hpp>

#include <pqxx/transaction>

#include <functional>
#include <memory>
#include <optional>

namespace ferry::postgres {

class flight;

/// A handler's transaction. It begins when the first statement needs it to: with the claims, with what a handler asks
/// for, or with the rows it leaves behind.
class handler_work final : public unit_of_work {
public:
    handler_work(pool::lease connection, const statements& sql, work_users& users,
                 std::function<void()> on_rows_committed)
        : connection_{std::move(connection)},
          sql_{sql},
          users_{users},
          on_rows_committed_{std::move(on_rows_committed)} {}

    void begin() override {}
    void claim(std::span<const inbox_claim> claims, time_point now, std::span<bool> fresh) override;
    std::vector<std::int64_t> commit() override;
    [[nodiscard]] void* native(const std::type_info& type) override;
    [[nodiscard]] std::string_view native_names() const noexcept override {
        return "pqxx::transaction_base, pqxx::dbtransaction or pqxx::work";
    }

private:
    bool take_off_schedule(const uuid& message) override;
    void begin_as_work();
    void become_work();
    void begin_now();
    void add_begin(flight& to);
    [[nodiscard]] pqxx::dbtransaction& plain();
    void check_is_open() const;
    [[nodiscard]] std::vector<std::int64_t> write_rows(bool and_commit);
    void let_go_of_connection();

    pool::lease connection_;
    const statements& sql_;
    work_users& users_;
    std::function<void()> on_rows_committed_;
    std::vector<std::string> consumers_; // whose messages are claimed
    bool begun_ = false;
    std::unique_ptr<handler_transaction> plain_;
    std::optional<pqxx::work> work_;
};

} // namespace ferry::postgres
