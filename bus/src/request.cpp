#include <ferry/request.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace ferry {

namespace {

std::string milliseconds_text(duration length) {
    const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(length).count();
    return std::to_string(milliseconds) + " ms";
}

std::string hint_for(const envelope& reply) {
    return reply.message_type == message_type::of<request_handled>().urn
               ? "; its handler returns nothing: request it without a reply type, or let the handler return one"
               : std::string{};
}

} // namespace

request_timeout::request_timeout(const uuid& correlation_id, const std::string& message, duration timeout)
    : error{"no reply to " + message + " within " + milliseconds_text(timeout) + " (correlation id " +
                correlation_id.to_string() + ")",
            true},
      correlation_id_{correlation_id} {}

remote_error::remote_error(const address& server, std::string type, std::string text)
    : error{"the handler at " + server.to_string() + " threw " + type + ": " + text},
      type_{std::move(type)},
      text_{std::move(text)} {}

request_cancelled::request_cancelled(const uuid& correlation_id)
    : error{"the request was cancelled (correlation id " + correlation_id.to_string() + ")"} {}

too_many_requests::too_many_requests(const std::string& message, std::size_t most)
    : error{message + " was not sent, since " + std::to_string(most) +
                " requests wait for their reply already; wait until some have ended, or raise max_pending_requests",
            true} {}

void check_reply(const envelope& reply, const message_type& expected) {
    if (reply.message_type == message_type::of<request_failed>().urn) {
        request_failed failure;
        decode_body(reply, message_type::of<request_failed>(), &failure);
        throw remote_error{reply.source, failure.type, failure.text};
    }
    const bool fits = reply.message_type == expected.urn || std::ranges::contains(reply.enclosed_types, expected.urn);
    if (!fits) {
        throw unexpected_reply{"the reply of " + reply.source.to_string() + " is a " + reply.message_type + ", but a " +
                               expected.urn + " was expected" + hint_for(reply)};
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
