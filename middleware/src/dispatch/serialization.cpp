#include <ferry/middleware/dispatch/serialization.hpp>

namespace ferry::middleware {

void serialization::operator()(dispatch_context& message, next<dispatch_context> next) const {
    const message_codec& codec = message.message.type->default_codec();
    codec.encode(message.message.object, message.envelope.body);
    message.envelope.content_type.assign(codec.content_type());
    next(message);
}

} // namespace ferry::middleware
