#include "frames.hpp"

#include "octets.hpp"
#include "properties.hpp"

#include <ferry/error.hpp>

#include <string>

namespace ferry::amqp {

namespace {

constexpr std::uint16_t basic_class = 60;
constexpr std::uint16_t publish_method = 40;
constexpr std::uint8_t mandatory = 1;

// Type, channel and length.
constexpr std::size_t size_before_payload = frame_overhead - sizeof frame_end;

// Class, weight and body size; the flags of the properties come next.
constexpr std::size_t size_before_flags = 12;
constexpr std::uint16_t no_properties = 0;

class frame_writer {
public:
    frame_writer(std::uint8_t type, std::uint16_t channel, buffer& out)
        : out_{begun(type, channel, out)}, payload_{out} {}

    void close() {
        payload_.close();
        put(out_, frame_end);
    }
    [[nodiscard]] std::size_t size() const noexcept { return payload_.size() + frame_overhead; }

private:
    static buffer& begun(std::uint8_t type, std::uint16_t channel, buffer& out) {
        put(out, type);
        put(out, channel);
        return out;
    }

    buffer& out_;
    sized_part payload_;
};

void require_short(std::string_view name, const char* what) {
    if (name.size() > longest_short_text) {
        throw error{"the " + std::string{what} + " \"" + std::string{name.substr(0, 40)} + "...\" has " +
                    std::to_string(name.size()) + " bytes; RabbitMQ takes at most 255, so choose a shorter one"};
    }
}

void put_method(std::string_view exchange, std::string_view routing_key, std::uint16_t channel, buffer& out) {
    require_short(exchange, "name of the exchange");
    require_short(routing_key, "routing key");
    frame_writer frame{method_frame, channel, out};
    put(out, basic_class);
    put(out, publish_method);
    put(out, std::uint16_t{0});
    put_short_text(out, exchange);
    put_short_text(out, routing_key);
    put(out, mandatory);
    frame.close();
}

void require_room(const envelope& message, std::size_t size, std::uint32_t frame_max) {
    if (size > frame_max) {
        throw error{"the headers and addresses of message " + message.message_id.to_string() + " of type \"" +
                    message.message_type + "\" take " + std::to_string(size) + " bytes, and RabbitMQ takes at most " +
                    std::to_string(frame_max) +
                    "; move large headers into the body, or raise frame_max in the configuration of RabbitMQ"};
    }
}

void put_header(const envelope& message, std::uint16_t channel, std::uint32_t frame_max, buffer& out) {
    frame_writer frame{header_frame, channel, out};
    put(out, basic_class);
    put(out, std::uint16_t{0}); // the weight, which nobody uses
    put(out, std::uint64_t{message.body.size()});
    write_properties(message, out);
    require_room(message, frame.size(), frame_max);
    frame.close();
}

void put_body(std::string_view body, std::uint16_t channel, std::uint32_t frame_max, buffer& out) {
    while (!body.empty()) {
        const std::string_view part = body.substr(0, frame_max - frame_overhead);
        frame_writer frame{body_frame, channel, out};
        out.append(part);
        frame.close();
        body.remove_prefix(part.size());
    }
}

void require_flags(std::string_view header_payload) {
    if (header_payload.size() < size_before_flags + sizeof no_properties) {
        throw error{"RabbitMQ has sent a content header of " + std::to_string(header_payload.size()) +
                        " octets, which is too short to be one; the connection has to be made anew",
                    true};
    }
}

// RabbitMQ adds headers of its own to a message that was near the limit, and sends the frame nevertheless.
std::size_t largest_size(std::uint8_t type, std::size_t frame_max) noexcept {
    return type == header_frame ? 2 * frame_max : frame_max;
}

void require_agreed_size(std::size_t size, std::uint8_t type, std::size_t frame_max) {
    if (size > largest_size(type, frame_max)) {
        throw error{"the other side has sent a frame of " + std::to_string(size) + " octets where at most " +
                        std::to_string(frame_max) +
                        " were agreed on; the connection has to be made anew, and if this "
                        "happens again, see whether the address is that of a RabbitMQ",
                    true};
    }
}

void require_end(std::uint8_t last) {
    if (last != frame_end) {
        throw error{"the other side has sent a frame without its end octet; the connection has to be made anew", true};
    }
}

} // namespace

std::optional<frame> first_frame(std::string_view bytes, std::size_t frame_max) {
    if (bytes.size() < size_before_payload) {
        return std::nullopt;
    }
    octet_reader in{bytes};
    frame found;
    found.type = in.number<std::uint8_t>();
    found.channel = in.number<std::uint16_t>();
    found.size = in.number<std::uint32_t>() + frame_overhead;
    require_agreed_size(found.size, found.type, frame_max);
    if (bytes.size() < found.size) {
        return std::nullopt;
    }
    found.payload = in.take(found.size - frame_overhead);
    require_end(in.number<std::uint8_t>());
    return found;
}

void write_publish(const envelope& message, std::string_view exchange, std::string_view routing_key,
                   std::uint16_t channel, std::uint32_t frame_max, buffer& out) {
    const std::size_t before = out.size();
    try {
        put_method(exchange, routing_key, channel, out);
        put_header(message, channel, frame_max, out);
        put_body(message.body.view(), channel, frame_max, out);
    } catch (...) {
        out.clear();
        out.commit(before); // half a message would spoil the connection for what is in front of it
        throw;
    }
}

void write_on_channel(std::string_view frames, std::uint16_t channel, buffer& out) {
    while (const std::optional<frame> next = first_frame(frames, frames.size())) {
        frame_writer copy{next->type, channel, out};
        out.append(next->payload);
        copy.close();
        frames.remove_prefix(next->size);
    }
}

std::string_view properties_of(std::string_view header_payload) {
    require_flags(header_payload);
    return header_payload.substr(size_before_flags);
}

void write_bare_header(const frame& header, buffer& out) {
    require_flags(header.payload);
    frame_writer frame{header_frame, header.channel, out};
    out.append(header.payload.substr(0, size_before_flags));
    put(out, no_properties);
    frame.close();
}

} // namespace ferry::amqp
