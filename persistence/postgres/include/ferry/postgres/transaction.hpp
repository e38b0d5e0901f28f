#pragma once

#include <ferry/store.hpp>

#include <pqxx/transaction>

#include <concepts>
#include <typeinfo>

namespace ferry {

/// Lets the outbox write into an application's own transaction, of whichever type libpqxx has.
template <std::derived_from<pqxx::transaction_base> Transaction> struct native_transaction_of<Transaction> {
    [[nodiscard]] static native_transaction of(Transaction& transaction) noexcept {
        return {static_cast<pqxx::transaction_base*>(&transaction), &typeid(pqxx::transaction_base*)};
    }
};

} // namespace ferry
