#pragma once

#include <ferry/envelope.hpp>
#include <ferry/observer.hpp>
#include <ferry/receive_context.hpp>

#include <array>
#include <string_view>

/// What a span is called first, and what it is about. docs/observability.md lists them.
namespace ferry::telemetry::operations {

inline constexpr std::string_view receive = "receive";
inline constexpr std::string_view process = "process";
inline constexpr std::string_view relay = "relay";
inline constexpr std::string_view commit = "commit";
inline constexpr std::string_view send_scheduled = "send";

/// What leaves the application is called after its kind. A fault is a reply that went wrong: nobody dispatches it.
inline constexpr std::array kinds{message_kind::publish, message_kind::send, message_kind::request,
                                  message_kind::reply};
inline constexpr std::array others{receive, process, relay, commit, send_scheduled};

} // namespace ferry::telemetry::operations

/// What happens in a span.
namespace ferry::telemetry::events {

inline constexpr std::string_view exception = "exception";
inline constexpr std::string_view unroutable = "unroutable";

using enum occurrence::kind_type;
inline constexpr std::array occurrences{retried, redelivered, dead_lettered, discarded, rejected, duplicate};
/// The ends of a delivery that nothing else tells of.
inline constexpr std::array endings{settlement::expired, settlement::skipped, settlement::returned};

} // namespace ferry::telemetry::events
