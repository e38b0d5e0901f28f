#include "field_table.hpp"

#include <ferry/error.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace ferry::amqp {

namespace {

using std::chrono::seconds;

// What RabbitMQ does not carry travels as a table with one number. A timestamp of AMQP has whole seconds from 1970 on;
// and RabbitMQ closes the connection when it meets a double that is infinite or no number.
constexpr std::string_view nanoseconds_name = "x-ferry-nanoseconds";
constexpr std::string_view double_bits_name = "x-ferry-double-bits";

void put_value(buffer& out, const header_value& value, int depth);

void put_name(buffer& out, std::string_view name) {
    if (name.size() > longest_short_text) {
        throw error{"the name of the header \"" + std::string{name.substr(0, 40)} + "...\" has " +
                    std::to_string(name.size()) + " bytes; RabbitMQ takes at most 255, so choose a shorter one"};
    }
    put_short_text(out, name);
}

struct value_writer {
    buffer& out;
    int depth;

    void operator()(std::monostate) { out.push_back('V'); }
    void operator()(bool value) {
        out.push_back('t');
        put(out, static_cast<std::uint8_t>(value));
    }
    void operator()(std::int64_t value) {
        out.push_back('l');
        put(out, value);
    }
    void operator()(double value) {
        if (!std::isfinite(value)) {
            put_stand_in(double_bits_name, std::bit_cast<std::int64_t>(value));
            return;
        }
        out.push_back('d');
        put(out, std::bit_cast<std::uint64_t>(value));
    }
    void operator()(const std::string& value) {
        out.push_back('S');
        put_long_text(out, value);
    }
    void operator()(const header_value::bytes& value) {
        out.push_back('x');
        put_long_text(out, {reinterpret_cast<const char*>(value.data()), value.size()});
    }
    void operator()(time_point value) {
        if (!fits_timestamp(value)) {
            put_stand_in(nanoseconds_name, value.time_since_epoch().count());
            return;
        }
        out.push_back('T');
        put(out, std::chrono::floor<seconds>(value).time_since_epoch().count());
    }
    void operator()(const header_value::array& values) {
        out.push_back('A');
        sized_part array{out};
        for (const header_value& each : values) {
            put_value(out, each, depth + 1);
        }
        array.close();
    }
    void operator()(const headers& entries) {
        out.push_back('F');
        table_writer table{out, depth + 1};
        for (const header& each : entries) {
            table.value(each.name, each.value);
        }
        table.close();
    }
    void put_stand_in(std::string_view name, std::int64_t number) {
        out.push_back('F');
        table_writer table{out};
        table.integer(name, number);
        table.close();
    }
};

void put_value(buffer& out, const header_value& value, int depth) {
    if (depth > max_header_depth) {
        throw error{"a header nests arrays and tables deeper than " + std::to_string(max_header_depth) + " levels"};
    }
    std::visit(value_writer{out, depth}, value.get());
}

std::size_t size_of(char type, octet_reader& in) {
    switch (type) {
    case 'V':
        return 0;
    case 't':
    case 'b':
    case 'B':
        return 1;
    case 's':
    case 'u':
    case 'U':
        return 2;
    case 'I':
    case 'i':
    case 'f':
        return 4;
    case 'D':
        return 5;
    case 'l':
    case 'L':
    case 'd':
    case 'T':
        return 8;
    case 'S':
    case 'x':
    case 'A':
    case 'F':
        return in.number<std::uint32_t>();
    default:
        throw envelope_error{"a header has the unknown type " + std::to_string(static_cast<unsigned char>(type))};
    }
}

/// The value as that kind, in the memory it has if it is one already.
template <typename Kind> Kind& reused(header_value& value) {
    if (auto* own = std::get_if<Kind>(&value.get())) {
        return *own;
    }
    return value.get().emplace<Kind>();
}

void read_bytes(std::string_view octets, header_value& value) {
    const auto* first = reinterpret_cast<const std::byte*>(octets.data());
    reused<header_value::bytes>(value).assign(first, first + octets.size());
}

void read_array(std::string_view octets, header_value& value, int depth) {
    auto& values = reused<header_value::array>(value);
    values.clear();
    for (octet_reader in{octets}; !in.done();) {
        read_value(next_field(in), values.emplace_back(), depth + 1);
    }
}

void read_entries(std::string_view octets, headers& entries, int depth) {
    for (table_reader in{octets}; in.next();) {
        header& entry = entries.append();
        entry.name.assign(in.name());
        read_value(in.value(), entry.value, depth);
    }
}

/// The number in a table that has only this entry.
std::optional<std::int64_t> stand_in(std::string_view table, std::string_view name) {
    table_reader in{table};
    if (!in.next() || in.name() != name) {
        return std::nullopt;
    }
    const auto number = as_integer(in.value());
    return in.next() ? std::nullopt : number;
}

void read_inner_table(std::string_view octets, header_value& value, int depth) {
    if (const auto count = stand_in(octets, nanoseconds_name)) {
        value = time_point{duration{*count}};
        return;
    }
    if (const auto bits = stand_in(octets, double_bits_name)) {
        value = std::bit_cast<double>(*bits);
        return;
    }
    auto& entries = reused<headers>(value);
    entries.clear();
    read_entries(octets, entries, depth + 1);
}

template <typename Real, typename Bits> double as_real(octet_reader in) {
    return static_cast<double>(std::bit_cast<Real>(in.number<Bits>()));
}

// The standard's prose and the clients of other languages have a signed number here, its grammar an unsigned one.
double as_decimal(octet_reader in) {
    const auto places = in.number<std::uint8_t>();
    return static_cast<double>(in.number<std::int32_t>()) / std::pow(10.0, places);
}

} // namespace

buffer& table_writer::entry(std::string_view name, char type) {
    put_name(out_, name);
    out_.push_back(type);
    return out_;
}

void table_writer::value(std::string_view name, const header_value& value) {
    put_name(out_, name);
    put_value(out_, value, depth_);
}

void write_table(const headers& entries, buffer& out) {
    table_writer table{out};
    for (const header& each : entries) {
        table.value(each.name, each.value);
    }
    table.close();
}

field next_field(octet_reader& in) {
    const char type = in.number<char>();
    return {type, in.take(size_of(type, in))};
}

bool table_reader::next() {
    if (rest_.done()) {
        return false;
    }
    name_ = rest_.short_text();
    value_ = next_field(rest_);
    return true;
}

std::optional<std::int64_t> as_integer(const field& value) {
    octet_reader in{value.octets};
    switch (value.type) {
    case 'b':
        return in.number<std::int8_t>();
    case 'B':
        return in.number<std::uint8_t>();
    case 's':
    case 'U':
        return in.number<std::int16_t>();
    case 'u':
        return in.number<std::uint16_t>();
    case 'I':
        return in.number<std::int32_t>();
    case 'i':
        return in.number<std::uint32_t>();
    case 'l':
    case 'L':
        return in.number<std::int64_t>();
    default:
        return std::nullopt;
    }
}

std::optional<std::string_view> as_text(const field& value) noexcept {
    return value.type == 'S' ? std::optional{value.octets} : std::nullopt;
}

void read_value(const field& from, header_value& value, int depth) {
    if (depth > max_header_depth) {
        throw envelope_error{"a header nests arrays and tables too deeply"};
    }
    octet_reader in{from.octets};
    switch (from.type) {
    case 'V':
        value = header_value{};
        return;
    case 't':
        value = in.number<std::uint8_t>() != 0;
        return;
    case 'f':
        value = as_real<float, std::uint32_t>(in);
        return;
    case 'd':
        value = as_real<double, std::uint64_t>(in);
        return;
    case 'D':
        value = as_decimal(in);
        return;
    case 'S':
        value.assign_text(from.octets);
        return;
    case 'x':
        read_bytes(from.octets, value);
        return;
    case 'T':
        value = moment_of(in.number<std::uint64_t>());
        return;
    case 'A':
        read_array(from.octets, value, depth);
        return;
    case 'F':
        read_inner_table(from.octets, value, depth);
        return;
    default:
        value = as_integer(from).value();
    }
}

void read_table(std::string_view table, headers& out) { read_entries(table, out, 0); }

bool fits_timestamp(time_point moment) noexcept {
    return moment >= time_point{} && moment.time_since_epoch() % seconds{1} == duration::zero();
}

time_point moment_of(std::uint64_t count) noexcept {
    constexpr auto last = std::chrono::floor<seconds>(time_point::max()).time_since_epoch().count();
    if (count > static_cast<std::uint64_t>(last)) {
        return time_point::max();
    }
    return time_point{seconds{static_cast<std::int64_t>(count)}};
}

} // namespace ferry::amqp
