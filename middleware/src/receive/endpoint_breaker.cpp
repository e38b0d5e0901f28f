#include <ferry/delay_schedule.hpp>
#include <ferry/detail/brief_lock.hpp>
#include <ferry/exception_summary.hpp>
#include <ferry/middleware/receive/endpoint_breaker.hpp>

namespace ferry::middleware {

endpoint_breaker::endpoint_breaker(std::string_view key, const endpoint_settings& endpoint,
                                   const breaker_settings& settings, const ports& around)
    : key_{key}, endpoint_{endpoint.name}, break_{settings.break_duration}, ports_{around}, breaker_{settings} {}

std::optional<breaker::period> endpoint_breaker::admits(receive_context& message) {
    const auto lock = detail::lock_briefly(mutex_);
    const time_point now = breaker_.state() == breaker_state::closed ? time_point{} : ports_.now();
    const std::optional<breaker::period> admitted = breaker_.admits(now);
    if (!admitted) {
        message.settle(settlement::returned);
    }
    return admitted;
}

void endpoint_breaker::succeeded(breaker::period admitted) {
    const auto lock = detail::lock_briefly(mutex_);
    if (breaker_.succeeded(admitted, ports_.now())) {
        closed();
    }
}

void endpoint_breaker::failed(breaker::period admitted, const std::exception_ptr& thrown) {
    const auto lock = detail::lock_briefly(mutex_);
    if (breaker_.failed(admitted, ports_.now())) {
        opened(thrown);
    }
}

void endpoint_breaker::said_nothing(breaker::period admitted) {
    const auto lock = detail::lock_briefly(mutex_);
    breaker_.said_nothing(admitted);
}

// Both under the lock, so that the endpoint is held and released in the order the breaker decided.
void endpoint_breaker::opened(const std::exception_ptr& thrown) {
    ++ports_.counters.breaks;
    ports_.control.hold(key_, breaker_.open_until());
    const exception_summary cause = summary_of(thrown);
    ports_.control.report(cause.type + ": " + cause.text);
    ports_.log(log_level::error,
               endpoint_ + ": " + key_ + " open: too many messages fail; paused for " + to_text(break_) +
                   ", then one is tried; the last failure was " + cause.type + ": " + cause.text,
               {.endpoint = endpoint_});
}

void endpoint_breaker::closed() {
    ports_.control.release(key_);
    ports_.log(log_level::warning, endpoint_ + ": " + key_ + " closed: the test message succeeded; consuming again",
               {.endpoint = endpoint_});
}

} // namespace ferry::middleware
