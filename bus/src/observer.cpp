#include <ferry/log.hpp>
#include <ferry/observer.hpp>

namespace ferry {

std::string_view to_string(occurrence::kind_type kind) noexcept {
    using enum occurrence::kind_type;
    switch (kind) {
    case retried:
        return "retried";
    case redelivered:
        return "redelivered";
    case dead_lettered:
        return "dead-lettered";
    case discarded:
        return "discarded";
    case rejected:
        return "rejected";
    case duplicate:
        return "duplicate";
    }
    return "unknown";
}

void observer::started(const observed_bus& /*bus*/) {}
void observer::stopped() noexcept {}
std::unique_ptr<observation> observer::dispatching(dispatch_context& /*message*/) { return nullptr; }
std::unique_ptr<observation> observer::receiving(receive_context& /*message*/) { return nullptr; }
std::unique_ptr<observation> observer::handling(consume_context& /*message*/) { return nullptr; }
std::unique_ptr<observation> observer::committing(std::string_view /*endpoint*/, std::size_t /*count*/) {
    return nullptr;
}
std::unique_ptr<observation> observer::relaying(std::size_t /*count*/) { return nullptr; }
std::unique_ptr<observation> observer::sending_scheduled(const envelope& /*message*/) { return nullptr; }
trace_position observer::position() noexcept { return {}; }
trace_position observer::origin(const envelope& /*message*/) noexcept { return {}; }
void observer::logged(const log_line& /*line*/) noexcept {}

} // namespace ferry
