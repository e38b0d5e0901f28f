#include "bank.hpp"

namespace shop {

void charge(const order_placed& order, const ferry::attempt_number& attempt, ledger& books) {
    if (order.paid_with == card::declined) {
        books.refused(order.order_id);
        throw card_declined{"the bank does not pay for " + order.order_id};
    }
    if (order.paid_with == card::of_a_busy_bank && attempt.retry < 2) {
        books.bank_was_busy(order.order_id);
        throw bank_busy{"the bank has too much to do for " + order.order_id};
    }
    if (order.paid_with == card::of_a_closed_bank && attempt.redelivery == 0) {
        books.bank_was_closed(order.order_id);
        throw bank_closed{"the bank is closed and does not charge " + order.order_id};
    }
}

} // namespace shop
