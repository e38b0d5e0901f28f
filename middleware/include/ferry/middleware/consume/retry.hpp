#pragma once

#include <ferry/consume_context.hpp>
#include <ferry/counters.hpp>
#include <ferry/exception_policy.hpp>
#include <ferry/log.hpp>
#include <ferry/pipeline.hpp>
#include <ferry/settings.hpp>
#include <ferry/time.hpp>

#include <memory>
#include <optional>
#include <string_view>

namespace ferry::middleware {

/// Runs a consumer again that failed, as often and after such waits as its exception policy says for what was thrown.
/// Outside everything that belongs to one attempt, so that each begins afresh. When the bus stops during a wait, the
/// message goes back to its queue.
class retry {
public:
    static constexpr std::string_view key = "retry";

    retry(const exception_policy& policy, clock now, bus_counters& counters, const log_function& log)
        : policy_{std::make_shared<exception_policy>(policy)}, now_{now}, counters_{&counters}, log_{&log} {}
    /// None for a consumer whose policy never retries.
    [[nodiscard]] static std::optional<retry> from(const consumer_settings& consumer, clock now, bus_counters& counters,
                                                   const log_function& log);
    void operator()(consume_context& message, next<consume_context> next) const;

private:
    /// How long to wait before another attempt; none when there is no other.
    [[nodiscard]] std::optional<duration> wait_after(const std::exception_ptr& thrown, int earlier_retries) const;
    void log(consume_context& message, const std::exception_ptr& thrown, duration wait) const;

    std::shared_ptr<const exception_policy> policy_;
    clock now_;
    bus_counters* counters_;
    const log_function* log_;
};

} // namespace ferry::middleware
