#include "attempt.hpp"

#include <ferry/middleware/consume/database_resilience.hpp>
#include <ferry/settings.hpp>

namespace ferry::middleware {

namespace {

constexpr backoff_options waits{.base_delay = std::chrono::milliseconds{20}, .max_delay = std::chrono::seconds{2}};

} // namespace

std::optional<database_resilience> database_resilience::from(const stage_ports& ports) {
    const bool wanted = ports.persistence != nullptr && ports.persistence->options.database_retries > 0;
    return wanted ? std::optional<database_resilience>{std::in_place, ports.persistence->store,
                                                       ports.persistence->options.database_retries, ports.now,
                                                       ports.counters}
                  : std::nullopt;
}

void database_resilience::operator()(consume_context& message, next<consume_context> next) const {
    const consume_context::checkpoint before = message.before_attempt();
    for (int retry = 0; const std::exception_ptr thrown = attempt(message, next); ++retry) {
        if (is_shared(message) || retry == retries_ || !store_->is_transient(thrown)) {
            std::rethrow_exception(thrown);
        }
        if (!now_.wait_for(waits.delay(retry), message.delivery().stopping())) {
            return message.delivery().settle(settlement::returned);
        }
        ++counters_->retries;
        message.delivery().tell({occurrence::kind_type::retried, &message.consumer(), thrown});
        message.begin_next_attempt(before);
    }
}

} // namespace ferry::middleware
