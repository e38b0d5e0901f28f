#pragma once

#include <ferry/middleware/receive/endpoint_breaker.hpp>
#include <ferry/pipeline.hpp>
#include <ferry/receive_context.hpp>
#include <ferry/settings.hpp>

#include <memory>
#include <optional>
#include <string_view>

namespace ferry::middleware {

/// Pauses the endpoint when not even failures can be dealt with: the error queue is out of reach, say. Outermost, and
/// what reaches it is the fault of the broker; failing handlers are dealt with further in.
class transport_circuit_breaker {
public:
    static constexpr std::string_view key = "transport_circuit_breaker";

    transport_circuit_breaker(const endpoint_settings& endpoint, const endpoint_breaker::ports& around)
        : breaker_{std::make_shared<endpoint_breaker>(key, endpoint, endpoint.transport_circuit_breaker, around)} {}
    /// None where it is switched off.
    [[nodiscard]] static std::optional<transport_circuit_breaker> from(const endpoint_settings& endpoint,
                                                                       const endpoint_breaker::ports& around);
    void operator()(receive_context& message, next<receive_context> next) const;

private:
    std::shared_ptr<endpoint_breaker> breaker_;
};

} // namespace ferry::middleware
