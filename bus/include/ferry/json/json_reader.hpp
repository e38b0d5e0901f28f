#pragma once

#include <ferry/buffer.hpp>
#include <ferry/json/json_path.hpp>
#include <ferry/json/json_policy.hpp>
#include <ferry/json/json_shape.hpp>
#include <ferry/uuid.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace ferry {

/// Reads JSON value by value, in the order of the document. Each function takes the value in front of it or throws a
/// decode_error that says where and why, and quotes nothing of the document: errors are logged, messages are not. Text
/// it returns lives as long as the reader.
class json_reader {
public:
    /// The body must outlive the reader.
    explicit json_reader(const buffer& body, const json_policy& policy = {});
    explicit json_reader(buffer&& body, const json_policy& policy = {}) = delete;
    json_reader(const json_reader&) = delete;
    json_reader& operator=(const json_reader&) = delete;
    ~json_reader();

    /// Takes a null; leaves anything else where it is and returns false.
    [[nodiscard]] bool read_null();
    [[nodiscard]] bool read_bool();
    [[nodiscard]] std::int64_t read_signed(std::int64_t least, std::int64_t most);
    [[nodiscard]] std::uint64_t read_unsigned(std::uint64_t most);
    [[nodiscard]] float read_float();
    [[nodiscard]] double read_double();
    [[nodiscard]] std::string_view read_string();
    [[nodiscard]] uuid read_uuid();
    /// A moment, in ticks of `numerator / denominator` seconds since 1970; what is finer than a tick is dropped.
    [[nodiscard]] std::int64_t read_time(std::int64_t numerator, std::int64_t denominator);
    [[nodiscard]] std::int64_t read_duration(std::int64_t numerator, std::int64_t denominator);

    void begin_object();
    /// Moves on to the next member, whose value is in front then; false, and out of the object, when there is none.
    [[nodiscard]] bool next_field();
    [[nodiscard]] std::string_view key() const noexcept;
    /// The key is one of the program's own names, by which a path tells the member; any other it tells by its position.
    void key_is_known() noexcept;
    void begin_array();
    [[nodiscard]] bool next_element();
    /// Reads an object whose members are known.
    void read_object(void* object, const json_shape& shape);
    /// Passes over a value of any kind, which must be well-formed all the same.
    void skip();

    /// Throws unless the document ends here.
    void finish();
    /// Throws a decode_error that names the current place.
    [[noreturn]] void fail(const std::string& reason) const;

private:
    struct state;

    void open(const buffer& body);
    void check_depth() const;
    void complete(void* object, const json_shape& shape, const json_seen& seen);
    void skip_object();
    void skip_array();

    std::unique_ptr<state> own_;
    state* state_;
    const json_policy policy_;
};

} // namespace ferry
