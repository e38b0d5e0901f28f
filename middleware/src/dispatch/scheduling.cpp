#include <ferry/middleware/dispatch/scheduling.hpp>

namespace ferry::middleware {

void scheduling::operator()(dispatch_context& message, next<dispatch_context> next) const {
    if (!message.scheduled) {
        return next(message);
    }
    if (message.collector != nullptr) {
        return message.collector->schedule(message.envelope);
    }
    scheduler_->keep(std::span{&message.envelope, 1});
}

} // namespace ferry::middleware
