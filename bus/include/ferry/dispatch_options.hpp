#pragma once

#include <ferry/address.hpp>
#include <ferry/headers.hpp>
#include <ferry/time.hpp>

#include <optional>
#include <string>

namespace ferry {

/// What a single call of publish, send or reply may say beside the message. Everything is optional.
struct dispatch_options {
    ferry::headers headers = {};
    std::optional<address> destination = {};    ///< instead of the one the message's type leads to
    std::optional<duration> expires_after = {}; ///< how long after sending the message is worth handling
    std::optional<time_point> deliver_by = {};  ///< the same as a moment; the earlier of the two counts
    std::optional<time_point> deliver_at = {};  ///< not before this moment
    std::string partition_key = {}; ///< messages with the same key keep their order where order is asked for
    std::string routing_key = {};   ///< for exchanges that route by one, instead of what the type's rule says
    std::string tenant = {};        ///< a handler's messages have the tenant of the one it handles by default
    bool immediate = false;         ///< from a handler: leave now, whatever becomes of the handler
};

/// `context.publish(message, ferry::immediate)` sends at once instead of with the handler's success.
inline const dispatch_options immediate{.immediate = true};

struct request_options {
    duration timeout = std::chrono::seconds{30};
    dispatch_options dispatch = {};
};

} // namespace ferry
