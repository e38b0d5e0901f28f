#pragma once

#include <ferry/envelope.hpp>
#include <ferry/error.hpp>
#include <ferry/message.hpp>

#include <cstddef>
#include <exception>
#include <functional>
#include <string>

namespace ferry {

/// No reply came in time. Whether the request was handled is not known.
class request_timeout : public error {
public:
    request_timeout(const uuid& correlation_id, const std::string& message, duration timeout);

    [[nodiscard]] const uuid& correlation_id() const noexcept { return correlation_id_; }

private:
    uuid correlation_id_;
};

/// The one who was asked failed, and this is what it said. `what()` says all of it together.
class remote_error : public error {
public:
    remote_error(const address& server, std::string type, std::string text);

    /// The C++ type of the exception over there.
    [[nodiscard]] const std::string& type() const noexcept { return type_; }
    /// What it said.
    [[nodiscard]] const std::string& text() const noexcept { return text_; }

private:
    std::string type_;
    std::string text_;
};

/// The one who asked does not want the reply any more.
class request_cancelled : public error {
public:
    explicit request_cancelled(const uuid& correlation_id);
};

/// As many requests wait for their reply as the bus was allowed to have; this one has not left.
class too_many_requests : public error {
public:
    too_many_requests(const std::string& message, std::size_t most);
};

/// A reply came that is not what was asked for.
class unexpected_reply : public error {
public:
    using error::error;
};

/// The reply to a request whose handler returns nothing: it was handled.
struct request_handled {
    static constexpr std::string_view message_name = "ferry.request-handled";
};

/// The reply to a request whose handler threw.
struct request_failed {
    static constexpr std::string_view message_name = "ferry.request-failed";
    std::string type;
    std::string text;
};

/// Called once with the reply, or with why there is none.
using reply_callback = std::move_only_function<void(std::exception_ptr, const envelope*)>;

/// Throws what a reply that is not of type `expected` means.
void check_reply(const envelope& reply, const message_type& expected);
/// Reads the body of a message whose type is known. Throws decode_error when no codec of the type takes its content
/// type.
void decode_body(const envelope& message, const message_type& type, void* object);

template <typename Reply> void read_reply(const envelope& reply, Reply& into) {
    const message_type& expected = message_type::of<Reply>();
    check_reply(reply, expected);
    decode_body(reply, expected, &into);
}

} // namespace ferry
