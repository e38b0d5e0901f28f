#include <ferry/request.hpp>

#include <algorithm>
#include <chrono>

namespace ferry {

namespace {

std::string milliseconds_text(duration length) {
    const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(length).count();
    return std::to_string(milliseconds) + " ms";
}

} // namespace

request_timeout::request_timeout(const uuid& correlation_id, const std::string& message, duration timeout)
    : error{"no reply to " + message + " within " + milliseconds_text(timeout) + " (correlation id " +
                correlation_id.to_string() + ")",
            true},
      correlation_id_{correlation_id} {}

request_cancelled::request_cancelled(const uuid& correlation_id)
    : error{"the request was cancelled (correlation id " + correlation_id.to_string() + ")"} {}

void check_reply(const envelope& reply, const message_type& expected) {
    if (reply.message_type == message_type::of<request_failed>().urn) {
        request_failed failure;
        decode_body(reply, message_type::of<request_failed>(), &failure);
        throw remote_error{failure.type, failure.text};
    }
    const bool fits = reply.message_type == expected.urn || std::ranges::contains(reply.enclosed_types, expected.urn);
    if (!fits) {
        throw unexpected_reply{"the reply is a " + reply.message_type + ", but a " + expected.urn + " was expected"};
    }
}

void decode_body(const envelope& message, const message_type& type, void* object) {
    const message_codec* codec = type.codec_for(message.content_type);
    if (codec == nullptr) {
        throw decode_error{"", "no codec of " + type.urn + " reads the content type '" + message.content_type + "'"};
    }
    codec->decode(message.body, object);
}

} // namespace ferry
