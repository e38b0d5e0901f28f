#pragma once

#include "octets.hpp"

#include <ferry/headers.hpp>
#include <ferry/time.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace ferry::amqp {

/// How deep arrays and tables in headers may nest; the same as in a packed envelope.
inline constexpr int max_header_depth = 16;

/// Writes a field table of AMQP 0-9-1 entry by entry, length first, in the types that RabbitMQ gives them. A name may
/// have 255 bytes and a value may nest to `max_header_depth`, otherwise it throws ferry::error.
class table_writer {
public:
    explicit table_writer(buffer& out, int depth = 0) : out_{out}, table_{out}, depth_{depth} {}

    void text(std::string_view name, std::string_view value) { put_long_text(entry(name, 'S'), value); }
    void integer(std::string_view name, std::int64_t value) { put(entry(name, 'l'), value); }
    void value(std::string_view name, const header_value& value);
    /// Writes name and type of an entry, and returns where the caller puts its value.
    buffer& entry(std::string_view name, char type);
    /// Ends the table, once everything is in it.
    void close() noexcept { table_.close(); }

private:
    buffer& out_;
    sized_part table_;
    int depth_;
};

void write_table(const headers& entries, buffer& out);

/// A value in a table or an array as it came: its type, and its octets without the length they may begin with.
struct field {
    char type = 'V';
    std::string_view octets;
};

/// The number in a field of one of the nine integer types, the text in one that is a text; nothing in any other.
[[nodiscard]] std::optional<std::int64_t> as_integer(const field& value);
[[nodiscard]] std::optional<std::string_view> as_text(const field& value) noexcept;

/// Takes the next value of an array.
[[nodiscard]] field next_field(octet_reader& in);

/// Walks over the entries of a table without copying them. Throws envelope_error when it comes to bytes that are none.
class table_reader {
public:
    /// Takes the bytes behind the length.
    explicit table_reader(std::string_view table) noexcept : rest_{table} {}

    /// Goes to the first entry, then to the one behind; false when there is none.
    [[nodiscard]] bool next();
    [[nodiscard]] std::string_view name() const noexcept { return name_; }
    [[nodiscard]] const field& value() const noexcept { return value_; }

private:
    octet_reader rest_;
    std::string_view name_;
    field value_;
};

/// Reads a value of any type RabbitMQ knows, into the memory that `value` has already. A moment too late for a
/// time_point becomes the last one; every other number of AMQP fits. Throws envelope_error.
void read_value(const field& from, header_value& value, int depth = 0);

/// Reads a table, given without its length, and adds its entries to `out` in their order. Throws envelope_error.
void read_table(std::string_view table, headers& out);

/// Whether a timestamp of AMQP can say it: whole seconds, from 1970 on.
[[nodiscard]] bool fits_timestamp(time_point moment) noexcept;

/// A number of seconds since 1970, as far as a time_point reaches.
[[nodiscard]] time_point moment_of(std::uint64_t seconds) noexcept;

} // namespace ferry::amqp
