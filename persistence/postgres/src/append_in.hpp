#pragma once

#include "names.hpp"

#include <ferry/store.hpp>

#include <span>

namespace pqxx {
class transaction_base;
} // namespace pqxx

namespace ferry::postgres {

/// Writes messages to the outbox and the schedule in somebody else's transaction, on a connection ferry knows nothing
/// of.
void append_in(pqxx::transaction_base& transaction, const names& names, std::span<const stored_message> outgoing,
               std::span<const stored_message> scheduled);
/// Takes a message off the schedule there; false when it is not on it.
bool cancel_in(pqxx::transaction_base& transaction, const names& names, const uuid& message);

} // namespace ferry::postgres
