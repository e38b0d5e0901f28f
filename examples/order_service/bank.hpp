#pragma once

#include "ledger.hpp"
#include "messages.hpp"

#include <ferry/consume_context.hpp>

#include <stdexcept>

namespace shop {

/// Over in a moment.
struct bank_busy : std::runtime_error {
    using std::runtime_error::runtime_error;
};
/// Over in a while.
struct bank_closed : std::runtime_error {
    using std::runtime_error::runtime_error;
};
/// Over when the customer has found another card.
struct card_declined : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// A bank as banks are: charges the card, or throws one of the above. It notes in the books what it threw.
void charge(const order_placed& order, const ferry::attempt_number& attempt, ledger& books);

} // namespace shop
