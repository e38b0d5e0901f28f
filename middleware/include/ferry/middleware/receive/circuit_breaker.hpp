#pragma once

#include <ferry/middleware/receive/endpoint_breaker.hpp>
#include <ferry/pipeline.hpp>
#include <ferry/receive_context.hpp>
#include <ferry/settings.hpp>

#include <memory>
#include <optional>
#include <string_view>

namespace ferry::middleware {

/// Pauses the endpoint when too many of its messages fail, so that what its handlers depend on can recover and the
/// messages stay in their queue instead of filling the error queue. What cannot be read says nothing about that and
/// does not count, nor does what a policy expects: it discards it, or dead-letters that very type without another
/// attempt.
class circuit_breaker {
public:
    static constexpr std::string_view key = "circuit_breaker";

    circuit_breaker(const endpoint_settings& endpoint, const endpoint_breaker::ports& around)
        : breaker_{std::make_shared<endpoint_breaker>(key, endpoint, endpoint.circuit_breaker, around)} {}
    /// None where it is switched off.
    [[nodiscard]] static std::optional<circuit_breaker> from(const endpoint_settings& endpoint,
                                                             const endpoint_breaker::ports& around);
    void operator()(receive_context& message, next<receive_context> next) const;

private:
    std::shared_ptr<endpoint_breaker> breaker_;
};

} // namespace ferry::middleware
