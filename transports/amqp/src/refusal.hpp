#pragma once

#include <ferry/transport.hpp>

#include <exception>
#include <string>
#include <string_view>

namespace ferry::amqp {

/// The broker has looked at one thing and does not want it: it closes the channel, and the rest can be asked on
/// another.
[[nodiscard]] bool is_refusal(std::string_view answer);
/// To ask again would change nothing, unless somebody does something about it.
[[nodiscard]] bool is_permanent(std::string_view answer);
/// Somebody else has the queue, or we have no right to it.
[[nodiscard]] bool may_not_consume(std::string_view answer);
/// What to do about it, to be put behind the answer.
[[nodiscard]] std::string advice(std::string_view answer);

/// The broker has answered to everything and refuses some of it. The rest is there, and works.
class refusal final : public transport_error {
public:
    using transport_error::transport_error;
};

[[nodiscard]] bool is_refusal(const std::exception_ptr& failure);

} // namespace ferry::amqp
