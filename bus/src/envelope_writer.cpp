#include "envelope_fields.hpp"
#include "envelope_format.hpp"

#include <ferry/error.hpp>

#include <bit>
#include <cstring>

namespace ferry::envelope_format {

namespace {

// Both sinks take the same calls, so the size that was counted is the size that is written.
class counting_sink {
public:
    void put(std::uint8_t) noexcept { ++size_; }
    void put(std::string_view bytes) noexcept { size_ += bytes.size(); }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }

private:
    std::size_t size_ = 0;
};

class memory_sink {
public:
    explicit memory_sink(char* out) noexcept : out_{out} {}
    void put(std::uint8_t byte) noexcept { *out_++ = static_cast<char>(byte); }
    void put(std::string_view bytes) noexcept {
        if (!bytes.empty()) {
            std::memcpy(out_, bytes.data(), bytes.size());
            out_ += bytes.size();
        }
    }

private:
    char* out_;
};

template <typename Sink> void put_length(Sink& sink, std::uint64_t length) {
    while (length >= 0x80) {
        sink.put(static_cast<std::uint8_t>(length | 0x80));
        length >>= 7;
    }
    sink.put(static_cast<std::uint8_t>(length));
}

template <typename Sink> void put_fixed(Sink& sink, std::uint64_t value) {
    char bytes[8];
    for (int i = 0; i < 8; ++i) {
        bytes[i] = static_cast<char>(value >> (8 * i));
    }
    sink.put(std::string_view{bytes, sizeof bytes});
}

template <typename Sink> void put_sized(Sink& sink, std::string_view bytes) {
    put_length(sink, bytes.size());
    sink.put(bytes);
}

template <typename Sink> void put_value(Sink& sink, const header_value& value, int depth);

template <typename Sink> void put_header(Sink& sink, const header& entry, int depth) {
    put_sized(sink, entry.name);
    put_value(sink, entry.value, depth);
}

template <typename Sink> struct value_writer {
    Sink& sink;
    int depth;

    void kind(value_kind kind) { sink.put(static_cast<std::uint8_t>(kind)); }
    void operator()(std::monostate) { kind(value_kind::null); }
    void operator()(bool value) {
        kind(value_kind::boolean);
        sink.put(static_cast<std::uint8_t>(value));
    }
    void operator()(std::int64_t value) {
        kind(value_kind::integer);
        put_fixed(sink, static_cast<std::uint64_t>(value));
    }
    void operator()(double value) {
        kind(value_kind::real);
        put_fixed(sink, std::bit_cast<std::uint64_t>(value));
    }
    void operator()(const std::string& value) {
        kind(value_kind::text);
        put_sized(sink, value);
    }
    void operator()(const header_value::bytes& value) {
        kind(value_kind::bytes);
        put_sized(sink, {reinterpret_cast<const char*>(value.data()), value.size()});
    }
    void operator()(time_point value) {
        kind(value_kind::time);
        put_fixed(sink, static_cast<std::uint64_t>(value.time_since_epoch().count()));
    }
    void operator()(const header_value::array& values) {
        kind(value_kind::array);
        put_length(sink, values.size());
        for (const header_value& each : values) {
            put_value(sink, each, depth + 1);
        }
    }
    void operator()(const headers& entries) {
        kind(value_kind::table);
        put_length(sink, entries.size());
        for (const header& each : entries) {
            put_header(sink, each, depth + 1);
        }
    }
};

template <typename Sink> void put_value(Sink& sink, const header_value& value, int depth) {
    if (depth > max_header_depth) {
        throw error{"a header nests arrays and tables deeper than " + std::to_string(max_header_depth) + " levels"};
    }
    std::visit(value_writer<Sink>{sink, depth}, value.get());
}

template <typename Sink> class field_writer {
public:
    explicit field_writer(Sink& sink) noexcept : sink_{sink} {}

    void bytes(field tag, std::string_view value) {
        if (!value.empty()) {
            sink_.put(static_cast<std::uint8_t>(tag));
            put_sized(sink_, value);
        }
    }
    void id(field tag, const uuid& value) {
        if (!value.is_nil()) {
            bytes(tag, {reinterpret_cast<const char*>(value.bytes().data()), value.bytes().size()});
        }
    }
    void place(field tag, const address& value) {
        if (!value.empty()) {
            sink_.put(static_cast<std::uint8_t>(tag));
            put_length(sink_, value.name.size() + 1);
            sink_.put(static_cast<std::uint8_t>(value.kind));
            sink_.put(value.name);
        }
    }
    void number(field tag, std::uint64_t value) {
        sink_.put(static_cast<std::uint8_t>(tag));
        put_length(sink_, sizeof value);
        put_fixed(sink_, value);
    }
    void time(field tag, const std::optional<time_point>& value) {
        if (value) {
            number(tag, static_cast<std::uint64_t>(value->time_since_epoch().count()));
        }
    }
    void entry(const header& value) {
        counting_sink counted;
        put_header(counted, value, 0);
        sink_.put(static_cast<std::uint8_t>(field::header));
        put_length(sink_, counted.size());
        put_header(sink_, value, 0);
    }

private:
    Sink& sink_;
};

template <typename Sink> void put_envelope(Sink& sink, const envelope& content) {
    sink.put(layout);
    field_writer<Sink> out{sink};
    out.number(field::kind, static_cast<std::uint64_t>(content.kind));
    out.id(field::message_id, content.message_id);
    out.id(field::correlation_id, content.correlation_id);
    out.id(field::conversation_id, content.conversation_id);
    out.id(field::causation_id, content.causation_id);
    out.bytes(field::message_type, content.message_type);
    for (const std::string& each : content.enclosed_types) {
        out.bytes(field::enclosed_type, each);
    }
    out.bytes(field::content_type, content.content_type);
    out.place(field::source, content.source);
    out.place(field::destination, content.destination);
    out.place(field::response, content.response);
    out.place(field::fault, content.fault);
    out.time(field::sent_at, content.sent_at);
    out.time(field::deliver_by, content.deliver_by);
    out.time(field::scheduled_at, content.scheduled_at);
    if (content.delivery_count != 0) {
        out.number(field::delivery_count, content.delivery_count);
    }
    out.bytes(field::partition_key, content.partition_key);
    out.bytes(field::routing_key, content.routing_key);
    out.bytes(field::tenant, content.tenant);
    for (const header& each : content.headers) {
        out.entry(each);
    }
    out.bytes(field::body, content.body.view());
}

} // namespace

std::size_t size_of(const envelope& content) {
    counting_sink sink;
    put_envelope(sink, content);
    return sink.size();
}

void write(const envelope& content, char* out) {
    memory_sink sink{out};
    put_envelope(sink, content);
}

} // namespace ferry::envelope_format
