#include "envelope_fields.hpp"
#include "envelope_format.hpp"

#include <ferry/packed_envelope.hpp>

#include <bit>
#include <cstring>
#include <limits>

namespace ferry::envelope_format {

namespace {

/// Walks over bytes that may be anything: every step checks that there is enough left.
class cursor {
public:
    explicit cursor(std::string_view bytes) noexcept : rest_{bytes} {}

    [[nodiscard]] bool done() const noexcept { return rest_.empty(); }
    std::uint8_t byte() { return static_cast<std::uint8_t>(take(1)[0]); }
    std::string_view take(std::size_t count) {
        if (count > rest_.size()) {
            throw envelope_error{"it ends in the middle of a field"};
        }
        const std::string_view taken = rest_.substr(0, count);
        rest_.remove_prefix(count);
        return taken;
    }
    std::size_t length() {
        std::uint64_t value = 0;
        for (int shift = 0; shift < 63; shift += 7) {
            const std::uint8_t part = byte();
            value |= std::uint64_t{part & 0x7fU} << shift;
            if (part < 0x80) {
                return value;
            }
        }
        throw envelope_error{"a length in it is too long"};
    }
    std::string_view sized() { return take(length()); }
    std::uint64_t fixed() {
        const std::string_view bytes = take(8);
        std::uint64_t value = 0;
        for (std::size_t i = 0; i < 8; ++i) {
            value |= std::uint64_t{static_cast<std::uint8_t>(bytes[i])} << (8 * i);
        }
        return value;
    }

private:
    std::string_view rest_;
};

/// A value of a kind that only a newer ferry knows; how long it is, only that one knows as well.
struct unknown_kind {};

time_point as_time(std::uint64_t value) { return time_point{duration{static_cast<std::int64_t>(value)}}; }

void read_value(cursor& in, header_value& value, int depth);

void read_array(cursor& in, header_value& value, int depth) {
    header_value::array values;
    for (std::size_t left = in.length(); left > 0; --left) {
        read_value(in, values.emplace_back(), depth + 1);
    }
    value = std::move(values);
}

void read_table(cursor& in, header_value& value, int depth) {
    headers entries;
    for (std::size_t left = in.length(); left > 0; --left) {
        header& entry = entries.append();
        entry.name.assign(in.sized());
        read_value(in, entry.value, depth + 1);
    }
    value = std::move(entries);
}

header_value::bytes as_bytes(std::string_view text) {
    const auto* first = reinterpret_cast<const std::byte*>(text.data());
    return {first, first + text.size()};
}

void read_value(cursor& in, header_value& value, int depth) {
    if (depth > max_header_depth) {
        throw envelope_error{"a header nests arrays and tables too deeply"};
    }
    const std::uint8_t kind = in.byte();
    switch (static_cast<value_kind>(kind)) {
    case value_kind::null:
        value = header_value{};
        return;
    case value_kind::boolean:
        value = in.byte() != 0;
        return;
    case value_kind::integer:
        value = static_cast<std::int64_t>(in.fixed());
        return;
    case value_kind::real:
        value = std::bit_cast<double>(in.fixed());
        return;
    case value_kind::text:
        value.assign_text(in.sized());
        return;
    case value_kind::bytes:
        value = as_bytes(in.sized());
        return;
    case value_kind::time:
        value = as_time(in.fixed());
        return;
    case value_kind::array:
        read_array(in, value, depth);
        return;
    case value_kind::table:
        read_table(in, value, depth);
        return;
    }
    throw unknown_kind{};
}

uuid as_id(std::string_view bytes) {
    std::array<std::uint8_t, 16> raw{};
    if (bytes.size() != raw.size()) {
        throw envelope_error{"an id in it is not 16 bytes long"};
    }
    std::memcpy(raw.data(), bytes.data(), raw.size());
    return uuid{raw};
}

std::uint64_t as_number(std::string_view bytes) {
    cursor in{bytes};
    return in.fixed();
}

message_kind as_kind(std::string_view bytes) {
    const std::uint64_t value = as_number(bytes);
    if (value > static_cast<std::uint64_t>(message_kind::fault)) {
        throw envelope_error{"it has the unknown kind " + std::to_string(value)};
    }
    return static_cast<message_kind>(value);
}

std::uint32_t as_count(std::string_view bytes) {
    const std::uint64_t value = as_number(bytes);
    if (value > std::numeric_limits<std::uint32_t>::max()) {
        throw envelope_error{"its delivery count is out of range"};
    }
    return static_cast<std::uint32_t>(value);
}

void read_place(std::string_view bytes, address& place) {
    cursor in{bytes};
    const std::uint8_t kind = in.byte();
    if (kind != static_cast<std::uint8_t>(address::kind_type::queue) &&
        kind != static_cast<std::uint8_t>(address::kind_type::exchange)) {
        throw envelope_error{"an address in it has the unknown kind " + std::to_string(kind)};
    }
    place.assign(static_cast<address::kind_type>(kind), bytes.substr(1));
}

void read_header(std::string_view bytes, headers& entries) {
    cursor in{bytes};
    header& entry = entries.append();
    entry.name.assign(in.sized());
    try {
        read_value(in, entry.value, 0);
    } catch (const unknown_kind&) {
        entries.pop_back();
    }
}

void read_field(field tag, std::string_view bytes, envelope& content) {
    switch (tag) {
    case field::kind:
        content.kind = as_kind(bytes);
        return;
    case field::message_id:
        content.message_id = as_id(bytes);
        return;
    case field::correlation_id:
        content.correlation_id = as_id(bytes);
        return;
    case field::conversation_id:
        content.conversation_id = as_id(bytes);
        return;
    case field::causation_id:
        content.causation_id = as_id(bytes);
        return;
    case field::message_type:
        content.message_type.assign(bytes);
        return;
    case field::enclosed_type:
        if (!bytes.empty()) { // without a name it is not there, and would not be written again
            content.enclosed_types.emplace_back(bytes);
        }
        return;
    case field::content_type:
        content.content_type.assign(bytes);
        return;
    case field::source:
        read_place(bytes, content.source);
        return;
    case field::destination:
        read_place(bytes, content.destination);
        return;
    case field::response:
        read_place(bytes, content.response);
        return;
    case field::fault:
        read_place(bytes, content.fault);
        return;
    case field::sent_at:
        content.sent_at = as_time(as_number(bytes));
        return;
    case field::deliver_by:
        content.deliver_by = as_time(as_number(bytes));
        return;
    case field::scheduled_at:
        content.scheduled_at = as_time(as_number(bytes));
        return;
    case field::delivery_count:
        content.delivery_count = as_count(bytes);
        return;
    case field::partition_key:
        content.partition_key.assign(bytes);
        return;
    case field::routing_key:
        content.routing_key.assign(bytes);
        return;
    case field::tenant:
        content.tenant.assign(bytes);
        return;
    case field::header:
        read_header(bytes, content.headers);
        return;
    case field::body:
        content.body.assign(bytes);
        return;
    }
    // A tag we do not know comes from a newer ferry; what it says is not for us.
}

} // namespace

void read(std::string_view bytes, envelope& content) {
    content.clear();
    cursor in{bytes};
    if (in.done() || in.byte() != layout) {
        throw envelope_error{"it does not begin like one"};
    }
    while (!in.done()) {
        const auto tag = static_cast<field>(in.byte());
        read_field(tag, in.sized(), content);
    }
}

} // namespace ferry::envelope_format
