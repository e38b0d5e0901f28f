#include <ferry/middleware/receive/transport_circuit_breaker.hpp>

namespace ferry::middleware {

std::optional<transport_circuit_breaker> transport_circuit_breaker::from(const endpoint_settings& endpoint,
                                                                         const endpoint_breaker::ports& around) {
    return endpoint.transport_circuit_breaker.enabled
               ? std::optional<transport_circuit_breaker>{std::in_place, endpoint, around}
               : std::nullopt;
}

void transport_circuit_breaker::operator()(receive_context& message, next<receive_context> next) const {
    const std::optional<breaker::period> admitted = breaker_->admits(message);
    if (!admitted) {
        return;
    }
    try {
        next(message);
    } catch (...) {
        breaker_->failed(*admitted, std::current_exception());
        throw;
    }
    if (message.settled() == settlement::returned) {
        breaker_->said_nothing(*admitted);
    } else {
        breaker_->succeeded(*admitted);
    }
}

} // namespace ferry::middleware
