#include "handler_transaction.hpp"

#include <pqxx/except>

#include <utility>

namespace ferry::postgres {

void handler_transaction::commit_by(std::function<void()> commit) {
    commit_ = std::move(commit);
    pqxx::dbtransaction::commit();
}

void handler_transaction::do_commit() {
    if (!commit_) {
        throw pqxx::usage_error{"a handler's transaction is committed by ferry, when the handler has returned; "
                                "remove the commit() from the handler"};
    }
    commit_();
}

} // namespace ferry::postgres
