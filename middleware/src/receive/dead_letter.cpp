#include <ferry/middleware/receive/dead_letter.hpp>
#include <ferry/settings.hpp>

namespace ferry::middleware {

void dead_letter::operator()(receive_context& message, next<receive_context> next) const {
    next(message);
    if (message.settled()) {
        return;
    }
    message.envelope().destination.assign(address::kind_type::queue, message.endpoint().skipped_queue);
    sender_->send_now(message.envelope());
    message.settle(settlement::skipped);
}

} // namespace ferry::middleware
