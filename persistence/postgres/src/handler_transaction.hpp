#pragma once

#include <pqxx/transaction>

#include <functional>

namespace ferry::postgres {

/// A transaction that ferry has begun and will commit, as libpqxx shows one to a handler.
class handler_transaction final : public pqxx::dbtransaction {
public:
    explicit handler_transaction(pqxx::connection& on) : pqxx::dbtransaction{on} { register_transaction(); }
    ~handler_transaction() override { close(); }

    /// Commits by `commit`, after libpqxx has looked whether anything in it is still open.
    void commit_by(std::function<void()> commit);
    /// Leaves the transaction to somebody else.
    void let_go() {
        commit_by([] {});
    }

private:
    void do_commit() override;

    std::function<void()> commit_;
};

} // namespace ferry::postgres
