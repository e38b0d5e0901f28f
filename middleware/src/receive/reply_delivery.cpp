#include <ferry/middleware/receive/reply_delivery.hpp>

namespace ferry::middleware {

void reply_delivery::operator()(receive_context& message, next<receive_context> next) const {
    if (message.damage() || !replies_->complete(message.envelope())) {
        ++counters_->late_replies;
        message.settle(settlement::discarded);
    } else {
        message.settle(settlement::handled);
    }
    next(message);
}

} // namespace ferry::middleware
