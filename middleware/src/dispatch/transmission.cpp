#include <ferry/middleware/dispatch/transmission.hpp>

#include <utility>

namespace ferry::middleware {

void transmission::operator()(dispatch_context& message, next<dispatch_context> next) const {
    if (message.collector != nullptr) {
        message.collector->collect(message.envelope);
    } else {
        transport_->send(message.envelope, std::exchange(message.on_outcome, nullptr));
    }
    next(message);
}

} // namespace ferry::middleware
