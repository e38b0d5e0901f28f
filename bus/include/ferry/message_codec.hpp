#pragma once

#include <ferry/buffer.hpp>
#include <ferry/error.hpp>

#include <string>
#include <string_view>

namespace ferry {

/// A body that cannot be read as the message it is said to be. `path` names the place: `lines[3].quantity`.
class decode_error : public error {
public:
    decode_error(std::string path, const std::string& reason);

    [[nodiscard]] const std::string& path() const noexcept { return path_; }

private:
    std::string path_;
};

/// A message that cannot be written: a string in it is no UTF-8, say. `path` names the place.
class encode_error : public error {
public:
    encode_error(std::string path, const std::string& reason);

    [[nodiscard]] const std::string& path() const noexcept { return path_; }

private:
    std::string path_;
};

/// Turns one type of message into bytes and back. A message may have several, one for each content type; see
/// `message_codecs` for how a type gets its own.
class message_codec {
public:
    message_codec() = default;
    message_codec(const message_codec&) = delete;
    message_codec& operator=(const message_codec&) = delete;
    virtual ~message_codec() = default;

    [[nodiscard]] virtual std::string_view content_type() const noexcept = 0;
    /// Appends the message to `out`. Throws encode_error.
    virtual void encode(const void* message, buffer& out) const = 0;
    /// Reads `body` into an existing message, all of whose fields are set afterwards. Throws decode_error.
    virtual void decode(const buffer& body, void* message) const = 0;
};

} // namespace ferry
