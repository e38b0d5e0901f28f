#include "field_table.hpp"
#include "properties.hpp"
#include "properties_format.hpp"

#include <ferry/header_names.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

namespace ferry::amqp {

namespace {

/// The queues in which ferry lets messages wait; they come back from there by what RabbitMQ calls dead-lettering.
constexpr std::string_view delay_queue_prefix = "ferry.delay.";

/// The properties as they came, those that ferry has a use for.
struct raw_properties {
    std::string_view content_type;
    std::string_view headers;
    std::optional<std::string_view> correlation_id;
    std::string_view reply_to;
    std::string_view message_id;
    std::optional<std::uint64_t> timestamp;
    std::string_view type;
    std::string_view app_id;
};

class property_reader {
public:
    explicit property_reader(std::string_view octets) : in_{octets}, flags_{in_.number<std::uint16_t>()} {}

    [[nodiscard]] bool has(std::uint16_t flag) const noexcept { return (flags_ & flag) != 0; }
    std::string_view short_text(std::uint16_t flag) { return has(flag) ? in_.short_text() : std::string_view{}; }
    std::string_view table(std::uint16_t flag) { return has(flag) ? in_.long_text() : std::string_view{}; }
    void skip_octet(std::uint16_t flag) { in_.take(has(flag) ? 1 : 0); }
    std::optional<std::uint64_t> number(std::uint16_t flag) {
        return has(flag) ? std::optional{in_.number<std::uint64_t>()} : std::nullopt;
    }
    void finish() const {
        if (has(property::unknown) || !in_.done()) {
            throw envelope_error{"it has properties that AMQP 0-9-1 does not know"};
        }
    }

private:
    octet_reader in_;
    std::uint16_t flags_;
};

raw_properties take_apart(std::string_view properties) {
    property_reader in{properties};
    raw_properties raw;
    raw.content_type = in.short_text(property::content_type);
    in.short_text(property::content_encoding);
    raw.headers = in.table(property::headers);
    in.skip_octet(property::delivery_mode);
    in.skip_octet(property::priority);
    if (in.has(property::correlation_id)) {
        raw.correlation_id = in.short_text(property::correlation_id);
    }
    raw.reply_to = in.short_text(property::reply_to);
    in.short_text(property::expiration);
    raw.message_id = in.short_text(property::message_id);
    raw.timestamp = in.number(property::timestamp);
    raw.type = in.short_text(property::type);
    in.short_text(property::user_id);
    raw.app_id = in.short_text(property::app_id);
    in.short_text(property::cluster_id);
    in.finish();
    return raw;
}

/// What is known of a message while its headers are read.
struct reading {
    envelope& out;
    arrived about{};
    std::optional<message_kind> kind{};
    std::optional<std::string_view> first_exchange{}; // before it came here as a dead letter
    std::optional<std::string_view> first_queue{};
    bool has_exact_sent_at = false;
    bool has_no_conversation = false;
};

// Each of these takes the value of a header into a field that is still empty. False leaves the header with the user's:
// somebody else may have written it, and a second one was not written by ferry.

bool take_text(const field& value, std::string& text) {
    const auto read = as_text(value);
    if (!text.empty() || !read || read->empty()) {
        return false;
    }
    text.assign(*read);
    return true;
}

bool take_id(const field& value, uuid& id) {
    const auto read = uuid::parse(as_text(value).value_or(""));
    if (!id.is_nil() || !read || read->is_nil()) {
        return false;
    }
    id = *read;
    return true;
}

void read_place(std::string_view text, address& place) {
    if (text.starts_with(queue_scheme)) {
        place.assign(address::kind_type::queue, text.substr(queue_scheme.size()));
    } else if (text.starts_with(exchange_scheme)) {
        place.assign(address::kind_type::exchange, text.substr(exchange_scheme.size()));
    }
}

bool take_place(const field& value, address& place) {
    if (!place.empty()) {
        return false;
    }
    read_place(as_text(value).value_or(""), place);
    return !place.empty();
}

bool take_time(const field& value, std::optional<time_point>& moment) {
    const auto read = as_integer(value);
    if (moment || !read) {
        return false;
    }
    moment = time_point{duration{*read}};
    return true;
}

bool take_count(const field& value, std::uint32_t& count) {
    const std::int64_t read = as_integer(value).value_or(0);
    if (count != 0 || read <= 0 || read > std::numeric_limits<std::uint32_t>::max()) {
        return false;
    }
    count = static_cast<std::uint32_t>(read);
    return true;
}

bool holds_only_texts(const field& array) {
    octet_reader in{array.octets};
    while (!in.done()) {
        if (!as_text(next_field(in))) {
            return false;
        }
    }
    return true;
}

bool is_text_list(const field& value) { return value.type == 'A' && !value.octets.empty() && holds_only_texts(value); }

bool take_texts(const field& value, std::vector<std::string>& texts) {
    if (!texts.empty() || !is_text_list(value)) {
        return false;
    }
    for (octet_reader in{value.octets}; !in.done();) {
        texts.emplace_back(next_field(in).octets);
    }
    return true;
}

bool take_kind(const field& value, std::optional<message_kind>& kind) {
    if (kind) {
        return false;
    }
    kind = parse_message_kind(as_text(value).value_or(""));
    return kind.has_value();
}

// Written only where the properties do not tell the moment.
bool take_exact_sent_at(const field& value, reading& message) {
    std::optional<time_point> exact;
    if (message.has_exact_sent_at || !take_time(value, exact)) {
        return false;
    }
    message.out.sent_at = exact;
    message.has_exact_sent_at = true;
    return true;
}

bool take_conversation(const field& value, reading& message) {
    if (!message.has_no_conversation && message.out.conversation_id.is_nil() && as_text(value) == "") {
        return message.has_no_conversation = true;
    }
    return take_id(value, message.out.conversation_id);
}

struct known_header {
    std::string_view name;
    bool (*take)(const field& value, reading& message);
};

namespace names = header_names;

constexpr known_header known_headers[] = {
    {names::kind, [](const field& value, reading& to) { return take_kind(value, to.kind); }},
    {names::conversation_id, take_conversation},
    {names::causation_id, [](const field& value, reading& to) { return take_id(value, to.out.causation_id); }},
    {names::message_type, [](const field& value, reading& to) { return take_text(value, to.out.message_type); }},
    {names::enclosed_types, [](const field& value, reading& to) { return take_texts(value, to.out.enclosed_types); }},
    {names::content_type, [](const field& value, reading& to) { return take_text(value, to.out.content_type); }},
    {names::source, [](const field& value, reading& to) { return take_place(value, to.out.source); }},
    {names::destination, [](const field& value, reading& to) { return take_place(value, to.out.destination); }},
    {names::response, [](const field& value, reading& to) { return take_place(value, to.out.response); }},
    {names::fault, [](const field& value, reading& to) { return take_place(value, to.out.fault); }},
    {names::sent_at, take_exact_sent_at},
    {names::deliver_by, [](const field& value, reading& to) { return take_time(value, to.out.deliver_by); }},
    {names::scheduled_at, [](const field& value, reading& to) { return take_time(value, to.out.scheduled_at); }},
    {names::delivery_count, [](const field& value, reading& to) { return take_count(value, to.out.delivery_count); }},
    {names::partition_key, [](const field& value, reading& to) { return take_text(value, to.out.partition_key); }},
    {names::routing_key, [](const field& value, reading& to) { return take_text(value, to.out.routing_key); }},
    {names::tenant, [](const field& value, reading& to) { return take_text(value, to.out.tenant); }},
    {names::order, [](const field& value, reading&) { return is_text_list(value); }}, // read before all others
};

bool take_known(const table_reader& entry, reading& message) {
    const auto* const known = std::ranges::find(known_headers, entry.name(), &known_header::name);
    return known != std::end(known_headers) && known->take(entry.value(), message);
}

bool take_earlier_deliveries(const table_reader& entry, arrived& about) {
    const auto count = as_integer(entry.value());
    if (entry.name() != names::earlier_deliveries || !count) {
        return false;
    }
    about.earlier_deliveries =
        static_cast<std::uint32_t>(std::clamp<std::int64_t>(*count, 0, std::numeric_limits<std::uint32_t>::max()));
    return true;
}

/// What has to be known of a message's headers before any is read.
struct overview {
    bool was_delayed = false;
    std::optional<std::string_view> order; // an array of names
};

overview look_over(std::string_view table, reading& message) {
    overview seen;
    for (table_reader in{table}; in.next();) {
        if (in.name() == names::first_death_exchange) {
            message.first_exchange = as_text(in.value());
        } else if (in.name() == names::first_death_queue) {
            message.first_queue = as_text(in.value());
            seen.was_delayed |= as_text(in.value()).value_or("").starts_with(delay_queue_prefix);
        } else if (in.name() == names::order && !seen.order && is_text_list(in.value())) {
            seen.order = in.value().octets;
        }
    }
    return seen;
}

/// A header that belongs to the user, and where among them it stood.
struct user_header {
    std::string_view name;
    field value;
    std::size_t place = std::numeric_limits<std::size_t>::max();
};

std::string_view without_own_prefix(std::string_view name) noexcept {
    const std::string_view rest = name.substr(std::min(name.size(), names::own_prefix.size()));
    return name.starts_with(names::own_prefix) && names::mean_something_to_rabbitmq(rest) ? rest : name;
}

std::vector<user_header> sorted_names(std::string_view order) {
    std::vector<user_header> named;
    for (octet_reader in{order}; !in.done();) {
        named.push_back({.name = next_field(in).octets, .value = {}, .place = named.size()});
    }
    std::ranges::stable_sort(named, {}, &user_header::name);
    return named;
}

// The first header of a name takes the first place of that name, the second the second; what has none goes behind.
void put_in_order(std::vector<user_header>& entries, std::string_view order) {
    const std::vector<user_header> named = sorted_names(order);
    std::ranges::stable_sort(entries, {}, &user_header::name);
    auto next = named.begin();
    for (user_header& each : entries) {
        next = std::find_if(next, named.end(), [&](const user_header& other) { return other.name >= each.name; });
        if (next != named.end() && next->name == each.name) {
            each.place = (next++)->place;
        }
    }
    std::ranges::stable_sort(entries, {}, &user_header::place);
}

void keep(const user_header& entry, headers& all) {
    header& kept = all.append();
    kept.name.assign(entry.name);
    read_value(entry.value, kept.value);
}

void read_headers(std::string_view table, reading& message) {
    const overview seen = look_over(table, message);
    std::vector<user_header> out_of_order;
    for (table_reader in{table}; in.next();) {
        if ((seen.was_delayed && names::tells_of_death(in.name())) || take_earlier_deliveries(in, message.about) ||
            take_known(in, message)) {
            continue;
        }
        const user_header entry{.name = without_own_prefix(in.name()), .value = in.value()};
        if (seen.order) {
            out_of_order.push_back(entry);
        } else {
            keep(entry, message.out.headers);
        }
    }
    put_in_order(out_of_order, seen.order.value_or(""));
    for (const user_header& each : out_of_order) {
        keep(each, message.out.headers);
    }
}

// Spreads what is known of a text so far over all bits (the finaliser of the splitmix64 generator).
constexpr std::uint64_t scrambled(std::uint64_t x) noexcept {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

uuid derived_id(std::string_view text) noexcept {
    std::uint64_t high = 0x9e3779b97f4a7c15ULL + text.size();
    std::uint64_t low = 0xc2b2ae3d27d4eb4fULL;
    for (const char each : text) {
        high = scrambled(high ^ static_cast<unsigned char>(each));
        low = scrambled(low + static_cast<unsigned char>(each) + 1);
    }
    high = (high & ~0xf000ULL) | 0x8000U;                  // version 8: made in a way of our own
    low = (low & ~(0x3ULL << 62)) | 0x8000000000000000ULL; // the variant of RFC 9562
    std::array<std::uint8_t, 16> bytes{};
    high = network_order(high);
    low = network_order(low);
    std::memcpy(bytes.data(), &high, sizeof high);
    std::memcpy(bytes.data() + sizeof high, &low, sizeof low);
    return uuid{bytes};
}

bool is_written_as(const uuid& id, std::string_view text) noexcept {
    std::array<char, uuid::text_size> own{};
    id.write(own.data());
    return text == std::string_view{own.data(), own.size()};
}

/// Reads an id, and keeps its text in a header if ferry would write it differently.
void read_id(std::string_view text, std::string_view header_name, uuid& id, headers& all) {
    if (text.empty()) {
        return;
    }
    id = id_of(text);
    if (!is_written_as(id, text)) {
        all.set(header_name, text);
    }
}

// A message that says nothing else begins a conversation, and a reply to it names its own id.
void read_ids(const raw_properties& raw, reading& message) {
    envelope& out = message.out;
    read_id(raw.message_id, ferry::header_names::foreign_message_id, out.message_id, out.headers);
    if (raw.correlation_id) {
        read_id(*raw.correlation_id, ferry::header_names::foreign_correlation_id, out.correlation_id, out.headers);
    } else {
        out.correlation_id = out.message_id;
    }
    if (out.conversation_id.is_nil() && !message.has_no_conversation) {
        out.conversation_id = out.message_id;
    }
}

void read_own_properties(const raw_properties& raw, envelope& out) {
    out.content_type.assign(raw.content_type);
    out.message_type.assign(raw.type);
    read_place(raw.app_id, out.source);
    if (!raw.reply_to.empty()) {
        out.response.assign(address::kind_type::queue, raw.reply_to);
    }
}

void fill_destination(const message_origin& origin, address& destination) {
    if (!destination.empty()) {
        return;
    }
    if (origin.exchange.empty()) {
        destination.assign(address::kind_type::queue, origin.routing_key);
    } else {
        destination.assign(address::kind_type::exchange, origin.exchange);
    }
}

/// Where it was sent, whatever has become of it since.
message_origin first_origin(const reading& message, const message_origin& origin) noexcept {
    if (!message.first_exchange || !message.first_queue) {
        return origin;
    }
    return {.exchange = *message.first_exchange, .routing_key = *message.first_queue};
}

} // namespace

uuid id_of(std::string_view text) noexcept {
    const auto id = uuid::parse(text);
    return id ? *id : derived_id(text);
}

arrived read_properties(std::string_view properties, const message_origin& origin, envelope& out) {
    out.clear();
    const raw_properties raw = take_apart(properties);
    reading message{.out = out};
    read_own_properties(raw, out);
    read_headers(raw.headers, message);
    read_ids(raw, message);
    if (!message.has_exact_sent_at) {
        out.sent_at = sent_at_told(raw.timestamp, out.message_id);
    }
    const message_origin first = first_origin(message, origin);
    out.kind = message.kind.value_or(likely_kind(!raw.reply_to.empty(), !first.exchange.empty()));
    fill_destination(first, out.destination);
    return message.about;
}

} // namespace ferry::amqp
