#include "gateway.hpp"

namespace shop {

namespace {

constexpr int a_moment = 2; // it takes as many in vain until it is over
constexpr int a_while = 4;

} // namespace

void gateway::charge(const std::string& order_id, card paid_with) {
    switch (paid_with) {
    case card::good:
        return;
    case card::declined:
        throw card_declined{"the bank does not pay for " + order_id};
    case card::busy:
    case card::outage:
        if (times_asked(order_id) <= (paid_with == card::busy ? a_moment : a_while)) {
            throw gateway_unavailable{"the gateway did not answer for " + order_id};
        }
    }
}

int gateway::times_asked(const std::string& order_id) {
    const std::scoped_lock lock{mutex_};
    return ++asked_[order_id];
}

} // namespace shop
