#include <ferry/middleware/receive/transport_circuit_breaker.hpp>

namespace ferry::middleware {

std::optional<transport_circuit_breaker> transport_circuit_breaker::from(const endpoint_settings& endpoint,
                                                                         const endpoint_breaker::ports& around) {
    return endpoint.transport_circuit_breaker.enabled
               ? std::optional<transport_circuit_breaker>{std::in_place, endpoint, around}
               : std::nullopt;
}

void transport_circuit_breaker::operator()(receive_context& message, next<receive_context> next) const {
    if (!breaker_->admits(message)) {
        return;
    }
    try {
        next(message);
    } catch (...) {
        breaker_->failed(std::current_exception());
        throw;
    }
    breaker_->succeeded();
}

} // namespace ferry::middleware
