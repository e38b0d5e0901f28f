#include <ferry/consumer.hpp>
#include <ferry/middleware/consume/handler.hpp>

namespace ferry::middleware {

void handler::operator()(consume_context& message, next<consume_context> next) const {
    message.consumer().handler().handle(message);
    next(message);
}

} // namespace ferry::middleware
