#include <ferry/consumer.hpp>

namespace ferry {

void consumer_run::decode(receive_context& message) {
    decode_body(message.envelope(), consumer_.message(), box_->object());
    context_.open(message, box_->object());
}

} // namespace ferry
