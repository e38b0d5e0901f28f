#pragma once

#include <ferry/counters.hpp>
#include <ferry/endpoint_control.hpp>
#include <ferry/log.hpp>
#include <ferry/middleware/breaker.hpp>
#include <ferry/receive_context.hpp>
#include <ferry/time.hpp>

#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace ferry::middleware {

/// A breaker at work on one endpoint, for all its slots: holds the endpoint while it is open, and says so. What both
/// breaker stages consist of.
class endpoint_breaker {
public:
    struct ports {
        endpoint_control& control;
        clock now;
        bus_counters& counters;
        const log_function& log;
    };

    endpoint_breaker(std::string_view key, const endpoint_settings& endpoint, const breaker_settings& settings,
                     const ports& around);

    /// Whether the message may go on. One that may not is settled: it goes back.
    [[nodiscard]] std::optional<breaker::period> admits(receive_context& message);
    void succeeded(breaker::period admitted);
    void failed(breaker::period admitted, const std::exception_ptr& thrown);
    void said_nothing(breaker::period admitted);

private:
    void opened(const std::exception_ptr& thrown);
    void closed();

    const std::string key_;
    const std::string endpoint_;
    const duration break_;
    const ports ports_;
    std::mutex mutex_;
    breaker breaker_;
};

} // namespace ferry::middleware
