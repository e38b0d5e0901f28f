#include "base64.hpp"
#include "escape_scan.hpp"
#include "iso_time.hpp"

#include <ferry/json/json_writer.hpp>
#include <ferry/message_codec.hpp>

#include <simdjson.h>

#include <charconv>
#include <cmath>

namespace ferry {

namespace {

constexpr std::size_t first_room = 512;
constexpr std::size_t number_room = 32;
constexpr std::size_t longest_escape = 6;      // \u001f
constexpr std::size_t chunk_after_escape = 64; // small, or a text of nothing but quotes is copied over and over

void append_path(std::string& path, const json_step* step) {
    if (step != nullptr) {
        append_path(path, step->outer);
        append_step(path, *step);
    }
}

bool needs_escape(char c) noexcept { return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\'; }

char* write_unicode_escape(char* out, char c) noexcept {
    constexpr std::string_view digits = "0123456789abcdef";
    std::memcpy(out, "\\u00", 4);
    out[4] = digits[static_cast<unsigned char>(c) >> 4];
    out[5] = digits[static_cast<unsigned char>(c) & 15];
    return out + longest_escape;
}

char* write_escape(char* out, char c) noexcept {
    constexpr std::string_view of_controls = "uuuuuuuubtnufruuuuuuuuuuuuuuuuuu";
    const char letter =
        static_cast<unsigned char>(c) < of_controls.size() ? of_controls[static_cast<unsigned char>(c)] : c;
    if (letter == 'u') {
        return write_unicode_escape(out, c);
    }
    out[0] = '\\';
    out[1] = letter;
    return out + 2;
}

} // namespace

json_writer::json_writer(buffer& out, const json_policy& policy)
    : out_{out}, at_{out.prepare(first_room)}, end_{out.data() + out.capacity()}, start_{out.size()}, policy_{policy} {}

void json_writer::grow(std::size_t count) {
    out_.commit(static_cast<std::size_t>(at_ - out_.data()) - out_.size());
    at_ = out_.prepare(count);
    end_ = out_.data() + out_.capacity();
}

void json_writer::finish() {
    out_.commit(static_cast<std::size_t>(at_ - out_.data()) - out_.size());
    if (const std::size_t size = out_.size() - start_; size > policy_.max_size) {
        fail("the message takes " + std::to_string(size) + " bytes as JSON, more than the limit of " +
             std::to_string(policy_.max_size));
    }
}

void json_writer::fail(const std::string& reason) const {
    std::string path;
    append_path(path, place_);
    throw encode_error{std::move(path), reason};
}

void json_writer::fail_depth() const {
    fail("the message is nested deeper than the limit of " + std::to_string(policy_.max_depth) + " levels");
}

void json_writer::write_signed(std::int64_t value) {
    char* const out = room(number_room);
    at_ = std::to_chars(out, out + number_room, value).ptr;
}

void json_writer::write_unsigned(std::uint64_t value) {
    char* const out = room(number_room);
    at_ = std::to_chars(out, out + number_room, value).ptr;
}

void json_writer::write_float(float value) {
    if (!std::isfinite(value)) {
        fail("JSON has no way to write a number that is infinite or not a number");
    }
    char* const out = room(number_room);
    at_ = std::to_chars(out, out + number_room, value).ptr;
}

void json_writer::write_double(double value) {
    if (!std::isfinite(value)) {
        fail("JSON has no way to write a number that is infinite or not a number");
    }
    char* const out = room(number_room);
    at_ = std::to_chars(out, out + number_room, value).ptr;
}

void json_writer::write_string(std::string_view text) {
    bool beyond_ascii = false;
    put('"');
    for (std::size_t done = write_plain(text, beyond_ascii); done < text.size();) {
        if (needs_escape(text[done])) {
            at_ = write_escape(room(longest_escape), text[done]);
            ++done;
        }
        done += write_plain(text.substr(done, chunk_after_escape), beyond_ascii);
    }
    put('"');
    if (beyond_ascii && !simdjson::validate_utf8(text)) {
        fail("the text is not valid UTF-8");
    }
}

// The text is copied first and looked at where it lies then, because there whole blocks may be read behind its end.
std::size_t json_writer::write_plain(std::string_view text, bool& beyond_ascii) {
    char* const out = room(text.size() + escape_block_size);
    if (!text.empty()) {
        std::memcpy(out, text.data(), text.size());
    }
    const std::size_t plain = plain_prefix(out, text.size(), beyond_ascii);
    at_ += plain;
    return plain;
}

void json_writer::write_uuid(const uuid& id) {
    char* const out = room(uuid::text_size + 2);
    out[0] = '"';
    id.write(out + 1);
    out[uuid::text_size + 1] = '"';
    at_ += uuid::text_size + 2;
}

void json_writer::write_base64(std::span<const std::byte> bytes) {
    const std::size_t size = base64_room(bytes.size());
    char* const out = room(size + 2);
    out[0] = '"';
    base64_encode(bytes, out + 1);
    out[size + 1] = '"';
    at_ += size + 2;
}

void json_writer::write_time(std::int64_t count, std::int64_t numerator, std::int64_t denominator) {
    const auto value = from_ticks(count, numerator, denominator);
    char* const out = room(iso_room);
    char* const end = value ? write_iso_time(out + 1, *value) : nullptr;
    if (end == nullptr) {
        fail("the time is not within the years 0 to 9999, which is all that ISO 8601 text can say");
    }
    *out = *end = '"';
    at_ = end + 1;
}

void json_writer::write_duration(std::int64_t count, std::int64_t numerator, std::int64_t denominator) {
    const auto value = from_ticks(count, numerator, denominator);
    if (!value) {
        fail("the duration is longer than can be written in seconds");
    }
    char* const out = room(iso_room);
    char* const end = write_iso_duration(out + 1, *value);
    *out = *end = '"';
    at_ = end + 1;
}

} // namespace ferry
