#pragma once

#include <array>
#include <string>
#include <string_view>

namespace ferry::telemetry {

enum class metric_kind : unsigned char { counter, gauge, histogram };

/// Something ferry measures, as OpenTelemetry knows it.
struct metric {
    std::string_view name;
    metric_kind kind;
    std::string_view unit;
    std::string_view description;

    /// Its name where Prometheus reads it: the unit and `_total` are part of it there.
    [[nodiscard]] std::string prometheus_name() const;
};

/// The name of a metric or an attribute in the alphabet of Prometheus.
[[nodiscard]] std::string prometheus_form(std::string_view name);

} // namespace ferry::telemetry

/// Everything ferry measures. Names that begin with `messaging.` are those of OpenTelemetry's semantic conventions.
namespace ferry::telemetry::measured {

inline constexpr metric sent{"messaging.client.sent.messages", metric_kind::counter, "{message}",
                             "Messages the application has sent, to the broker or into the outbox"};
inline constexpr metric consumed{"messaging.client.consumed.messages", metric_kind::counter, "{message}",
                                 "Messages that came to an endpoint, by how they ended there"};
inline constexpr metric send_duration{"messaging.client.operation.duration", metric_kind::histogram, "s",
                                      "How long sending took: until the broker confirmed, or the row was written"};
inline constexpr metric process_duration{"messaging.process.duration", metric_kind::histogram, "s",
                                         "How long an attempt of a handler took, with its transaction"};
inline constexpr metric retries{"ferry.message.retries", metric_kind::counter, "{attempt}",
                                "Attempts that were repeated at once or after a short wait"};
inline constexpr metric redeliveries{"ferry.message.redeliveries", metric_kind::counter, "{message}",
                                     "Messages that were put back for later"};
inline constexpr metric dead_letters{"ferry.message.dead_letters", metric_kind::counter, "{message}",
                                     "Messages that failed for good"};
inline constexpr metric duplicates{"ferry.message.duplicates", metric_kind::counter, "{message}",
                                   "Messages a consumer had handled before"};
inline constexpr metric in_flight{"ferry.endpoint.in_flight", metric_kind::gauge, "{message}",
                                  "Messages that are being handled now"};
inline constexpr metric consuming{"ferry.endpoint.consuming", metric_kind::gauge, "1",
                                  "1 while messages come to the endpoint, else 0"};
inline constexpr metric breaker{"ferry.endpoint.breaker", metric_kind::gauge, "1",
                                "The circuit breaker: 0 closed, 1 half open, 2 open"};
inline constexpr metric connected{"ferry.transport.connected", metric_kind::gauge, "1",
                                  "1 while there is a connection to the broker, else 0"};
inline constexpr metric outbox_pending{"ferry.outbox.pending", metric_kind::gauge, "{message}",
                                       "Rows of the outbox that wait to be sent"};
inline constexpr metric outbox_dead{"ferry.outbox.dead", metric_kind::gauge, "{message}",
                                    "Rows of the outbox whose sending was given up"};
inline constexpr metric outbox_age{"ferry.outbox.oldest_age", metric_kind::gauge, "s",
                                   "How long the oldest row has waited to be sent"};
inline constexpr metric outbox_sent{"ferry.outbox.sent", metric_kind::counter, "{message}",
                                    "Rows of the outbox the broker has confirmed"};
inline constexpr metric outbox_failed{"ferry.outbox.failed", metric_kind::counter, "{attempt}",
                                      "Attempts to send a row that failed"};
inline constexpr metric schedule_waiting{"ferry.schedule.waiting", metric_kind::gauge, "{message}",
                                         "Scheduled messages that wait for their time"};
inline constexpr metric schedule_dead{"ferry.schedule.dead", metric_kind::gauge, "{message}",
                                      "Scheduled messages whose sending was given up"};
inline constexpr metric breaks{"ferry.breaker.breaks", metric_kind::counter, "{break}",
                               "How often a circuit breaker has opened"};

inline constexpr std::array all{sent,         consumed,      send_duration,    process_duration, retries,
                                redeliveries, dead_letters,  duplicates,       in_flight,        consuming,
                                breaker,      connected,     outbox_pending,   outbox_dead,      outbox_age,
                                outbox_sent,  outbox_failed, schedule_waiting, schedule_dead,    breaks};

} // namespace ferry::telemetry::measured

/// What spans and metrics are told apart by, beside the names of the semantic conventions.
namespace ferry::telemetry::attributes {

inline constexpr std::string_view system = "messaging.system";
inline constexpr std::string_view destination = "messaging.destination.name";
inline constexpr std::string_view operation_type = "messaging.operation.type";
inline constexpr std::string_view operation_name = "messaging.operation.name";
inline constexpr std::string_view message_id = "messaging.message.id";
inline constexpr std::string_view conversation_id = "messaging.message.conversation_id";
inline constexpr std::string_view body_size = "messaging.message.body.size";
inline constexpr std::string_view batch_count = "messaging.batch.message_count";
inline constexpr std::string_view error_type = "error.type";
inline constexpr std::string_view exception_type = "exception.type";
inline constexpr std::string_view exception_message = "exception.message";
inline constexpr std::string_view message_type = "ferry.message.type";
inline constexpr std::string_view service = "ferry.service"; ///< of the bus, where a process may have several
inline constexpr std::string_view consumer = "ferry.consumer";
inline constexpr std::string_view attempt = "ferry.attempt";       ///< of a consumer, from 1
inline constexpr std::string_view redelivery = "ferry.redelivery"; ///< how often it was put back for later
inline constexpr std::string_view outcome = "ferry.outcome";       ///< how the message ended here
inline constexpr std::string_view in_group = "ferry.in_group";     ///< true: if the commit of its group succeeds

inline constexpr std::array all{
    system,    destination, operation_type, operation_name, message_id,        conversation_id,
    body_size, batch_count, error_type,     exception_type, exception_message, message_type,
    service,   consumer,    attempt,        redelivery,     outcome,           in_group};

} // namespace ferry::telemetry::attributes
