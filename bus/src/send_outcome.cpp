#include <ferry/transport.hpp>

namespace ferry {

std::exception_ptr failure_of(const send_outcome& outcome, message_kind kind, const std::string& message,
                              const address& destination) {
    if (outcome.status == send_status::failed) {
        return outcome.error;
    }
    const bool event = kind == message_kind::publish && destination.kind == address::kind_type::exchange;
    if (outcome.status == send_status::confirmed || event) {
        return nullptr;
    }
    return std::make_exception_ptr(
        transport_error{"there is no " + destination.to_string() + " for " + message +
                            "; start a service that serves it, or route it to a queue that exists; if services handle "
                            "it as an event, publish it",
                        false});
}

} // namespace ferry
