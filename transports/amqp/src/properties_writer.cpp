#include "field_table.hpp"
#include "properties.hpp"
#include "properties_format.hpp"

#include <ferry/error.hpp>
#include <ferry/header_names.hpp>

#include <algorithm>
#include <string>

namespace ferry::amqp {

namespace {

constexpr std::uint8_t persistent = 2;

bool is_short(std::string_view text) noexcept { return text.size() <= longest_short_text; }

std::string_view scheme_of(const address& place) noexcept {
    return place.kind == address::kind_type::queue ? queue_scheme : exchange_scheme;
}

std::size_t text_size(const address& place) noexcept { return scheme_of(place).size() + place.name.size(); }

bool fits_a_property(const address& place) noexcept { return text_size(place) <= longest_short_text; }

void put_text(const address& place, buffer& out) {
    out.append(scheme_of(place));
    out.append(place.name);
}

/// Writes the properties that there are, and the flags that announce them once all are written.
class property_writer {
public:
    explicit property_writer(buffer& out) : out_{out}, begin_{out.size()} { put(out, std::uint16_t{0}); }

    /// Leaves out an empty text, and one that is too long: a header has it then.
    void text(std::uint16_t flag, std::string_view value) {
        if (!value.empty() && is_short(value)) {
            put_short_text(announce(flag), value);
        }
    }
    void id(std::uint16_t flag, const uuid& value) {
        if (!value.is_nil()) {
            put(announce(flag), std::uint8_t{uuid::text_size});
            value.write(out_.extend(uuid::text_size));
        }
    }
    void nothing(std::uint16_t flag) { put_short_text(announce(flag), {}); }
    /// Leaves out one that is too long, as text does.
    void place(std::uint16_t flag, const address& value) {
        if (!value.empty() && fits_a_property(value)) {
            put(announce(flag), static_cast<std::uint8_t>(text_size(value)));
            put_text(value, out_);
        }
    }
    /// Leaves out a table with nothing in it: it would cost the broker as much as one with something.
    template <class Fill> void table(std::uint16_t flag, Fill fill) {
        const std::size_t before = out_.size();
        table_writer table{out_};
        fill(table);
        if (out_.size() == before + sizeof(std::uint32_t)) {
            out_.clear();
            out_.commit(before);
        } else {
            table.close();
            announce(flag);
        }
    }
    buffer& announce(std::uint16_t flag) noexcept {
        flags_ |= flag;
        return out_;
    }
    void close() noexcept { put_at(out_, begin_, flags_); }

private:
    buffer& out_;
    std::size_t begin_;
    std::uint16_t flags_ = 0;
};

/// Writes an array of texts behind the name and type of its entry.
class text_list {
public:
    explicit text_list(buffer& out) : out_{out}, array_{out} {}

    void add(std::string_view text) {
        out_.push_back('S');
        put_long_text(out_, text);
    }
    void close() noexcept { array_.close(); }

private:
    buffer& out_;
    sized_part array_;
};

void put_texts(buffer& out, const std::vector<std::string>& values) {
    text_list list{out};
    for (const std::string& each : values) {
        list.add(each);
    }
    list.close();
}

void put_id(buffer& out, const uuid& id) {
    put(out, std::uint32_t{uuid::text_size});
    id.write(out.extend(uuid::text_size));
}

void put_place(buffer& out, const address& place) {
    put(out, static_cast<std::uint32_t>(text_size(place)));
    put_text(place, out);
}

/// Writes the headers for the fields that have something in them.
class field_writer {
public:
    explicit field_writer(table_writer& table) noexcept : table_{table} {}

    void text(std::string_view name, std::string_view value) {
        if (!value.empty()) {
            table_.text(name, value);
        }
    }
    void long_text(std::string_view name, std::string_view value) {
        if (!is_short(value)) {
            table_.text(name, value);
        }
    }
    void texts(std::string_view name, const std::vector<std::string>& values) {
        if (!values.empty()) {
            put_texts(table_.entry(name, 'A'), values);
        }
    }
    void id(std::string_view name, const uuid& value) {
        if (!value.is_nil()) {
            put_id(table_.entry(name, 'S'), value);
        }
    }
    void nothing(std::string_view name) { table_.text(name, {}); }
    void place(std::string_view name, const address& value) {
        if (!value.empty()) {
            put_place(table_.entry(name, 'S'), value);
        }
    }
    void time(std::string_view name, const std::optional<time_point>& value) {
        if (value) {
            table_.integer(name, value->time_since_epoch().count());
        }
    }
    void count(std::string_view name, std::uint32_t value) {
        if (value != 0) {
            table_.integer(name, value);
        }
    }

private:
    table_writer& table_;
};

/// The queue that replies go to, if the property has room for its name.
std::string_view reply_queue(const address& response) noexcept {
    const bool fits = response.kind == address::kind_type::queue && is_short(response.name);
    return fits ? std::string_view{response.name} : std::string_view{};
}

/// Whether it goes straight to its destination, which its delivery tells then, and so its kind as a rule. What it tells
/// need not be written: every header costs the broker more than it costs us.
bool tells_by_itself(const envelope& message) noexcept {
    const bool is_a_copy = message.delivery_count > 0; // which goes to the queue that its original came from
    return !message.scheduled_at && !is_a_copy && !message.destination.name.empty();
}

message_kind kind_it_tells(const envelope& message) noexcept {
    return likely_kind(!reply_queue(message.response).empty(),
                       message.destination.kind == address::kind_type::exchange);
}

// A message that begins a conversation need not say so, only one with an id and no conversation at all; and one with a
// header of that name, which would be taken for the conversation.
void put_conversation(const envelope& message, field_writer& out) {
    if (message.conversation_id == message.message_id && !message.headers.contains(header_names::conversation_id)) {
        return;
    }
    if (message.conversation_id.is_nil()) {
        out.nothing(header_names::conversation_id);
    } else {
        out.id(header_names::conversation_id, message.conversation_id);
    }
}

void put_sent_at(const envelope& message, field_writer& out) {
    if (message.sent_at && (message.sent_at != sent_at_told(seconds_of(*message.sent_at), message.message_id) ||
                            message.headers.contains(header_names::sent_at))) {
        out.time(header_names::sent_at, message.sent_at);
    }
}

void put_fields(const envelope& message, table_writer& table) {
    field_writer out{table};
    if (!tells_by_itself(message) || message.kind != kind_it_tells(message)) {
        out.text(header_names::kind, to_string(message.kind));
    }
    put_conversation(message, out);
    out.id(header_names::causation_id, message.causation_id);
    out.long_text(header_names::message_type, message.message_type);
    out.texts(header_names::enclosed_types, message.enclosed_types);
    out.long_text(header_names::content_type, message.content_type);
    if (!fits_a_property(message.source)) {
        out.place(header_names::source, message.source);
    }
    if (!tells_by_itself(message)) {
        out.place(header_names::destination, message.destination);
    }
    if (reply_queue(message.response).empty()) {
        out.place(header_names::response, message.response);
    }
    out.place(header_names::fault, message.fault);
    put_sent_at(message, out);
    out.time(header_names::deliver_by, message.deliver_by);
    out.time(header_names::scheduled_at, message.scheduled_at);
    out.count(header_names::delivery_count, message.delivery_count);
    out.text(header_names::partition_key, message.partition_key);
    out.text(header_names::routing_key, message.routing_key);
    out.text(header_names::tenant, message.tenant);
}

/// Whether the headers come back in their order by themselves: RabbitMQ sorts them by the names they travel under.
bool stay_in_order(const headers& entries) noexcept {
    return std::ranges::is_sorted(entries, {}, &header::name) &&
           std::ranges::none_of(entries, header_names::mean_something_to_rabbitmq, &header::name);
}

void put_order(const headers& entries, table_writer& table) {
    text_list names{table.entry(header_names::order, 'A')};
    for (const header& each : entries) {
        names.add(each.name);
    }
    names.close();
}

void put_headers(const headers& entries, table_writer& table) {
    if (!stay_in_order(entries)) {
        put_order(entries, table);
    }
    for (const header& each : entries) {
        if (header_names::mean_something_to_rabbitmq(each.name)) {
            table.value(std::string{header_names::own_prefix} + each.name, each.value);
        } else {
            table.value(each.name, each.value);
        }
    }
}

void put_seconds(const std::optional<time_point>& moment, property_writer& out) {
    if (const auto seconds = moment ? seconds_of(*moment) : std::nullopt) {
        put(out.announce(property::timestamp), *seconds);
    }
}

// A message that is correlated with nothing but itself need not say so. Who waits for a reply knows its own way to
// write the id.
void put_correlation(const envelope& message, property_writer& out) {
    const std::string_view foreign = message.headers.text(ferry::header_names::foreign_correlation_id);
    if (!foreign.empty() && is_short(foreign) && id_of(foreign) == message.correlation_id) {
        out.text(property::correlation_id, foreign);
    } else if (message.correlation_id == message.message_id) {
        return;
    } else if (message.correlation_id.is_nil()) {
        out.nothing(property::correlation_id);
    } else {
        out.id(property::correlation_id, message.correlation_id);
    }
}

} // namespace

void write_properties(const envelope& message, buffer& out) {
    property_writer properties{out};
    properties.text(property::content_type, message.content_type);
    properties.table(property::headers, [&](table_writer& table) {
        put_fields(message, table);
        put_headers(message.headers, table);
    });
    put(properties.announce(property::delivery_mode), persistent);
    put_correlation(message, properties);
    properties.text(property::reply_to, reply_queue(message.response));
    properties.id(property::message_id, message.message_id);
    put_seconds(message.sent_at, properties);
    properties.text(property::type, message.message_type);
    properties.place(property::app_id, message.source);
    properties.close();
}

} // namespace ferry::amqp
