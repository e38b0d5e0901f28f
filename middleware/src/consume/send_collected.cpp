#include <ferry/middleware/consume/send_collected.hpp>

namespace ferry::middleware {

void send_collected::operator()(consume_context& message, next<consume_context> next) const {
    next(message);
    if (!message.collected().all().empty()) {
        sender_->send_now(message.collected().all());
    }
    if (!message.collected().scheduled().empty()) {
        scheduler_->keep(message.collected().scheduled());
    }
}

} // namespace ferry::middleware
