#pragma once

#include <string_view>

namespace ferry {

class headers;

/// How often a message was put back for later, or its consumer called before, as a header says. Nothing but a whole
/// number from 0 up counts.
[[nodiscard]] int count_in(const headers& all, std::string_view name) noexcept;

} // namespace ferry

/// The headers ferry itself writes and reads. Everything else in a message's headers belongs to its users.
namespace ferry::header_names {

inline constexpr std::string_view delayed_retry_count = "delayed-retry-count"; ///< how often it was redelivered
inline constexpr std::string_view target_consumer = "target-consumer";         ///< the one a redelivery is for
inline constexpr std::string_view earlier_attempts = "earlier-attempts"; ///< of that consumer, before this delivery

inline constexpr std::string_view fault_exception_type = "fault-exception-type";
inline constexpr std::string_view fault_message = "fault-message";
inline constexpr std::string_view fault_stack_trace = "fault-stack-trace";
inline constexpr std::string_view fault_timestamp = "fault-timestamp";
inline constexpr std::string_view fault_endpoint = "fault-endpoint";
inline constexpr std::string_view fault_consumer = "fault-consumer";
inline constexpr std::string_view fault_attempts = "fault-attempts";
inline constexpr std::string_view fault_deliver_by = "fault-deliver-by"; ///< until when it was worth handling

/// How another program has written an id that ferry writes differently. A reply repeats it, in this header and, where
/// the transport has a place for it, as its correlation id.
inline constexpr std::string_view foreign_message_id = "amqp-message-id";
inline constexpr std::string_view foreign_correlation_id = "amqp-correlation-id";

} // namespace ferry::header_names
