#include <ferry/middleware/receive/expiry.hpp>

namespace ferry::middleware {

void expiry::operator()(receive_context& message, next<receive_context> next) const {
    const auto& deadline = message.envelope().deliver_by;
    if (deadline && *deadline < now_()) {
        return message.settle(settlement::expired);
    }
    next(message);
}

} // namespace ferry::middleware
